# Functions for the scripts of this folder. Sourced, never run.
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

# test_without_cli PACKAGES ARGUMENTS...: the tests of packages that need neither CLI nor browser: all but TestAcc…,
# TestFault…, TestExample… and TestBrowser…. Arguments are passed to go test.
test_without_cli() {
  local packages
  # The library of the browser's tests takes longest to build.
  packages=$(grep -v '/review/browser$' <<<"$1")
  shift
  # shellcheck disable=SC2086  # one word each
  (unset TF_ACC && cd "$root" && go test -timeout 15m -skip '^Test(Acc|Fault|Example|Browser)' "$@" $packages)
}

# packages_with PATTERN FILES: the packages of which a file has a line like the pattern, as paths.
packages_with() {
  (cd "$root" && grep -rlE --include="$2" "$1" internal | xargs -n 1 dirname | sort -u | sed 's#^#./#')
}

# packages_testing PATTERN: the packages with a test that "go test -run PATTERN" runs, as paths.
packages_testing() {
  (cd "$root" && grep -rE --include='*_test.go' '^func (Test|Fuzz|Example)' internal examples) |
    sed -n 's#^\(.*\)/[^/]*:func \([A-Za-z0-9_]*\)(.*#./\1 \2#p' | awk -v pattern="${1%%/*}" '$2 ~ pattern { print $1 }' | sort -u
}

# build_plugin FILE [VERSION]: the plugin's binary, with a version if it will be installed.
build_plugin() {
  go build -C "$root" -ldflags "-X main.version=${2:-dev}" -o "$1" .
}

# provider_host CLI: the default host of provider addresses in the CLI. Terraform and OpenTofu each have one of
# their own, so the script asks the CLI.
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

# cli_tests DIR: sets the environment of tests that use the CLI $TF. Acceptance tests serve the provider from the test's own
# process, under the address made of the two last variables. Any host does, as long as test and configuration agree; one that
# cannot exist keeps the CLI from asking a registry.
cli_tests() {
  : >"$1/cli.tfrc"
  export TF TF_ACC=1 TF_ACC_TERRAFORM_PATH=$TF TF_CLI_CONFIG_FILE=$1/cli.tfrc
  export TF_ACC_PROVIDER_HOST=provider.test TF_ACC_PROVIDER_NAMESPACE=zulip-iac
  # These tests run the CLI and read what it prints; the flags for people are the scripts' own.
  unset TF_CLI_ARGS
}

# Many tests wait for a CLI or a slow server more than they compute, so more of them run in parallel than there are processors.
# shellcheck disable=SC2034  # used by the scripts that source this file
at_once=$((2 * $(getconf _NPROCESSORS_ONLN))) parallel=8
# With ZULIP_SITE the tests share one server. A read by one test during a write by another can leave its caches out of date.
[ -z "${ZULIP_SITE:-}" ] || at_once=1 parallel=1

# Tests and compilers produce garbage faster than live data, and memory is cheaper here than frequent collection.
export GOGC=${GOGC:-400}

# everything_logged DIR COMMAND...: runs tests with TF_LOG=TRACE. Their logs go to DIR/logs, their secrets to DIR/secrets.
everything_logged() {
  local dir=$1
  shift
  mkdir -p "$dir/logs"
  TF_LOG=TRACE TF_ACC_LOG=TRACE TF_LOG_PATH_MASK=$dir/logs/%s.log ZULIP_TEST_SECRETS=$dir/secrets "$@"
}

# no_secret_in DIR FILE...: searches the results of everything_logged in DIR, and other files, for the secrets. Fails if it
# finds one, or if there was nothing to search for.
no_secret_in() {
  local dir=$1 secrets calls
  shift
  secrets=$(sort -u "$dir/secrets" | wc -l)
  calls=$(cat "$dir"/logs/* | grep -c '/streams' || true)
  if [ "$secrets" -eq 0 ] || [ "$calls" -le 100 ]; then
    say "The logs hold too little for a search to say anything ($secrets secrets, $calls calls)."
    return 1
  fi
  if grep -rlF -f "$dir/secrets" "$dir/logs" "$@"; then
    say "A secret was logged or printed: it is in the files above."
    return 1
  fi
  say "$secrets secrets in $(du -sh "$dir/logs" | cut -f1) of logs: none found."
}
