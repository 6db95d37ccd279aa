# What the scripts of this folder share. Sourced, never run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Outside the tree, so that `git clean` and a second clone do not build it all again.
# shellcheck disable=SC2034  # used by the scripts that source this file
tool_cache=${XDG_CACHE_HOME:-$HOME/.cache}/terraform-provider-zulip/tools

# The command-line tools answer the same for everyone: no config of the user's, no version check over the network, no colour.
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_CLI_ARGS=-no-color

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

# test_without_cli ARGUMENTS...: the tests that need neither CLI nor browser: all but TestAcc…, TestFault…, TestExample… and
# TestBrowser…. Arguments are passed to go test.
test_without_cli() {
  local packages
  # The library of the browser's tests is the largest there is to build.
  packages=$(go list -C "$root" ./... | grep -v '/review/browser$')
  # shellcheck disable=SC2086  # one word each
  (unset TF_ACC && cd "$root" && go test -timeout 15m -skip '^Test(Acc|Fault|Example|Browser)' "$@" $packages)
}

# build_plugin FILE [VERSION]: the plugin's binary, with a version when it is to be installed.
build_plugin() {
  go build -C "$root" -trimpath -ldflags "-X main.version=${2:-dev}" -o "$1" .
}

# provider_host CLI: the host the CLI puts before an address that names none. Terraform and OpenTofu each have one of
# their own, so it is asked, not written down.
provider_host() {
  local dir host
  dir=$(mktemp -d)
  printf 'terraform {\n  required_providers {\n    zulip = { source = "zulip-iac/zulip" }\n  }\n}\n' >"$dir/main.tf"
  host=$(TF_CLI_ARGS='' "$1" -chdir="$dir" providers 2>/dev/null | sed -n 's#.*provider\[\([^/]*\)/zulip-iac/zulip\].*#\1#p')
  rm -rf "$dir"
  [ -n "$host" ] || die "$1 did not say where it looks for the provider zulip-iac/zulip"
  printf '%s\n' "$host"
}

# mirror_plugin CLI BINARY VERSION DIR: lays BINARY out in DIR as a local mirror the CLI installs providers from.
mirror_plugin() {
  local host dir
  host=$(provider_host "$1")
  dir=$4/$host/zulip-iac/zulip/$3/$(go env GOOS)_$(go env GOARCH)
  mkdir -p "$dir"
  # Removed first: a running plugin cannot be overwritten, and a link would be followed.
  rm -f "$dir/terraform-provider-zulip_v$3"
  cp "$2" "$dir/terraform-provider-zulip_v$3"
  printf '%s\n' "$dir"
}

# mirror_config DIR FILE: a CLI configuration that installs providers from the mirror DIR and from nowhere else.
mirror_config() {
  printf 'disable_checkpoint = true\n\nprovider_installation {\n  filesystem_mirror {\n    path = "%s"\n  }\n}\n' "$1" >"$2"
}
