package checks

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// newsChannel is a configuration of a channel with a guest in it.
func newsChannel(description, posters string) string {
	return `
resource "zulip_channel" "news" {
  name                   = "news"
  description            = "` + description + `"
  can_send_message_group = ["` + posters + `"]
}

resource "zulip_channel_subscribers" "news" {
  channel = zulip_channel.news.id
  users   = ["ines.moreau@example.com", "paul.dubois@example.com"]
}
`
}

var (
	pullRequest = values{"github.event_name": "pull_request", "github.event.pull_request.number": "7", "github.event.pull_request.base.sha": "0ba5e", "github.run_id": "1"}
	push        = values{"github.event_name": "push", "github.run_id": "2"}
	nightly     = values{"github.event_name": "schedule", "github.run_id": "3"}
)

// A pull request that adds a guest fails. On main the job shows the change, and applies it as shown.
func TestDocsReviewWorkflow_PullRequest_Checked(t *testing.T) {
	t.Parallel()
	r, workflow := newCIRun(t), parse[ciWorkflow](t, reviewWorkflow)
	review := func(event values, wantStatus int, wantSummary string) *ciResult {
		t.Helper()
		result := r.job(t, workflow, "review", r.checkout(t), event)
		if result.status != wantStatus || !strings.Contains(result.summary, wantSummary) {
			t.Fatalf("%s: the review ends with %d, want %d; its summary is to have %q:\n%s\n%s", event["github.event_name"], result.status, wantStatus, wantSummary, result.summary, result.printed)
		}
		return result
	}
	apply := func(reviewed *ciResult, wantStatus int, want string) {
		t.Helper()
		if reviewed.values.evaluate(t, workflow.Jobs["apply"].If) != "true" {
			t.Fatal("nothing is applied")
		}
		if result := r.job(t, workflow, "apply", r.checkout(t), reviewed.values); result.status != wantStatus || !strings.Contains(result.printed, want) {
			t.Fatalf("the apply ends with %d, want %d, and prints, without %q:\n%s", result.status, wantStatus, want, result.printed)
		}
	}

	r.config = newsChannel("News", "role:moderators")
	apply(review(push, 0, "### Access review"), 0, "2 added")

	r.config = newsChannel("All the news", "role:moderators")
	review(pullRequest, 0, "### Access review")
	if calls := r.serverFile(t, "calls"); !strings.Contains(calls, "gh api --silent --method POST repos/example/zulip/issues/7/comments --field body=@") {
		t.Errorf("gh is asked for\n%s", calls)
	}

	const gained = "`Paul Dubois`"
	r.config = newsChannel("News", "role:everyone")
	failed := review(pullRequest, 2, gained)
	if !strings.Contains(failed.printed, "::error::") {
		t.Errorf("it does not say why it fails:\n%s", failed.printed)
	}
	if comment := r.serverFile(t, "comment"); !strings.HasPrefix(comment, "<!-- zulip-access-review zulip -->\n### Access review") || !strings.Contains(comment, gained) {
		t.Errorf("the comment is\n%s", comment)
	}
	if calls := r.serverFile(t, "calls"); strings.Count(calls, "--method POST") != 1 || !strings.Contains(calls, "--method PATCH repos/example/zulip/issues/comments/71 ") {
		t.Errorf("gh is asked for\n%s", calls)
	}
	if page := r.serverFile(t, "access-review/review.html"); !strings.Contains(page, "Paul Dubois") {
		t.Error("the page is not an artifact")
	}

	shown := review(push, 0, gained)
	later := review(push, 0, gained) // by another commit, before the first is applied
	apply(shown, 0, "1 changed")
	apply(later, 1, "stale")
	if unchanged := review(push, 0, "### Access review"); unchanged.values.evaluate(t, workflow.Jobs["apply"].If) == "true" {
		t.Error("a plan without changes is applied")
	}

	review(nightly, 0, "")
	bin := t.TempDir()
	program(t, bin, "by-hand", "-C", "..", "./demo")
	inShell(t, bin, r.environment, "./by-hand news can_send_message_group role:administrators")
	review(nightly, 1, "Gains")
}

// A file that is no plan fails everywhere, and so do arguments that the command does not accept. The action posts no
// comment.
func TestDocsReviewAction_InvalidInput_Fails(t *testing.T) {
	t.Parallel()
	r := newCIRun(t)
	folder := r.checkout(t)
	inShell(t, folder, r.environment, "terraform init")
	for _, name := range []string{"change.tfplan", "change.json"} {
		write(t, filepath.Join(folder, name), "{")
	}
	inShell(t, folder, r.environment, "terraform plan -out=empty.tfplan")
	for _, event := range []values{pullRequest, push} {
		for name, test := range map[string]struct {
			with map[string]string
			want string
		}{
			"saved":       {map[string]string{"plan": "change.tfplan"}, "change.tfplan"},
			"JSON":        {map[string]string{"plan": "change.json"}, "change.json"},
			"absent":      {map[string]string{"plan": "none.tfplan"}, "none.tfplan"},
			"no word":     {map[string]string{"plan": "empty.tfplan", "fail-on": "widning"}, "unknown condition"},
			"no command":  {map[string]string{"plan": "empty.tfplan", "command": "none"}, "::error::There is no provider's command"},
			"no init":     {map[string]string{"plan": "empty.tfplan", "working-directory": ".terraform"}, "::error::There is no provider's command"},
			"no version":  {map[string]string{"plan": "empty.tfplan", "version": "$(id)"}, "::error::version is not the version of a release"},
			"shell words": {map[string]string{"plan": "$(id >&2).json"}, "$(id >&2).json"},
		} {
			t.Run(event["github.event_name"]+" "+name, func(t *testing.T) {
				workflow := ciWorkflow{Jobs: map[string]ciJob{"review": {Steps: []ciStep{
					{Uses: "zulip-iac/terraform-provider-zulip/.github/actions/review@1", With: test.with},
				}}}}
				result := r.job(t, workflow, "review", folder, event)
				if result.status != 1 || !strings.Contains(result.printed, test.want) || strings.Contains(result.printed, "uid=") || result.summary != "" {
					t.Errorf("it ends with %d and prints, without %q:\n%s", result.status, test.want, result.printed)
				}
			})
		}
	}
	if calls := r.serverFile(t, "calls"); strings.Contains(calls, "/comments") {
		t.Errorf("gh is asked for\n%s", calls)
	}
}

// The action uses an existing command, or one of a release after verifying its checksum.
func TestDocsReviewAction_Command_Found(t *testing.T) {
	t.Parallel()
	r := newCIRun(t)
	folder := r.checkout(t)
	release(t, r.server, nil)
	inShell(t, folder, r.environment, "terraform init && terraform plan -out=empty.tfplan && terraform show -json empty.tfplan >empty.json && "+
		"cp $(find -L .terraform/providers -type f -name 'terraform-provider-zulip_v*') command && rm -r .terraform")
	bin := t.TempDir()
	writeProgram(t, bin, "uname", "#!/bin/sh\necho Linux x86_64\n")
	writeProgram(t, bin, "curl", "#!/bin/bash\nset -eu\n[[ $* = *--proto\\ =https\\ --fail* ]]\nwhile [ $# -gt 0 ]; do case $1 in --output) file=$2; shift ;; https:*) url=$1 ;; esac; shift; done\n"+
		"[ \"$url\" = \"https://github.com/zulip-iac/terraform-provider-zulip/releases/download/v1.0.0/$file\" ]\ncp '"+r.server+"'/\"$file\" .\n")
	for i, variable := range r.environment {
		if path, ok := strings.CutPrefix(variable, "PATH="); ok {
			r.environment[i] = "PATH=" + bin + string(os.PathListSeparator) + path
		}
	}
	try := func(input, value string, want int, says string) {
		t.Helper()
		workflow := ciWorkflow{Jobs: map[string]ciJob{"review": {Steps: []ciStep{
			{Uses: "zulip-iac/terraform-provider-zulip/.github/actions/review@1", With: map[string]string{"plan": "empty.json", input: value, "artifact": ""}},
		}}}}
		if result := r.job(t, workflow, "review", folder, push); result.status != want || !strings.Contains(result.printed, says) {
			t.Errorf("%s %s: it ends with %d and prints, without %q:\n%s", input, value, result.status, says, result.printed)
		}
	}
	try("command", "command", 0, "The plan changes nothing")
	try("version", "1.0.0", 0, "linux_amd64.zip: OK")
	try("version", "v1.0.0", 0, "The plan changes nothing")
	archive := filepath.Join(r.server, "terraform-provider-zulip_1.0.0_linux_amd64.zip")
	write(t, archive, read(t, archive)+"\n")
	try("version", "1.0.0", 1, "linux_amd64.zip: FAILED")
}

// Properties that cannot be run here: the environment of a job, and concurrency.
func TestDocsReviewWorkflow_Environments_Protected(t *testing.T) {
	workflow := parse[ciWorkflow](t, reviewWorkflow)
	if _, ok := workflow.On["pull_request_target"]; ok || len(workflow.On) != 3 {
		t.Errorf("it runs on %v", workflow.On)
	}
	if strings.Contains(strings.Join(mapValues(workflow.Env), " "), "secrets.") {
		t.Error("all jobs have secrets")
	}
	review, apply := workflow.Jobs["review"], workflow.Jobs["apply"]
	other := maps.Clone(pullRequest)
	other["github.event.pull_request.number"] = "8"
	for _, test := range []struct {
		job         string
		text        string
		event       values
		want, isNot string
	}{
		{"review", review.Environment, pullRequest, "zulip-review", ""},
		{"review", review.Environment, push, "zulip-plan", ""},
		{"review", review.Environment, nightly, "zulip-plan", ""},
		{"apply", apply.Environment, push, "zulip", ""},
		{"review", review.Concurrency.Group, pullRequest, "zulip-review-7", ""},
		{"review", review.Concurrency.Group, other, "zulip-review-8", ""},
		{"review", review.Concurrency.Group, push, "zulip-review-2", ""}, // of this run only
		{"review", review.Concurrency.Cancel, pullRequest, "true", ""},
		{"apply", apply.Concurrency.Group, push, "zulip-apply", ""},
		{"apply", apply.Concurrency.Cancel, push, "false", ""},
	} {
		if got := test.event.expand(t, test.text); got != test.want {
			t.Errorf("%s: %s is %q of %v, want %q", test.job, test.text, got, test.event, test.want)
		}
	}
	for _, event := range []values{pullRequest, nightly} {
		event = maps.Clone(event)
		event["needs.review.outputs.plan"] = "2"
		if event.evaluate(t, apply.If) != "false" || apply.Needs != "review" {
			t.Errorf("%v is applied", event)
		}
	}
	own, fork, bot := maps.Clone(pullRequest), maps.Clone(pullRequest), maps.Clone(pullRequest)
	for _, event := range []values{own, fork, bot} {
		event["github.repository"], event["github.event.pull_request.head.repo.full_name"], event["github.actor"] = "a/b", "a/b", "ines"
	}
	fork["github.event.pull_request.head.repo.full_name"] = "c/b"
	bot["github.actor"] = "dependabot[bot]"
	for _, test := range []struct {
		event values
		want  string
	}{{own, "true"}, {fork, "false"}, {bot, "false"}, {push, "true"}, {nightly, "true"}} {
		if got := test.event.evaluate(t, review.If); got != test.want {
			t.Errorf("the review runs: %s, of %v", got, test.event)
		}
	}
}

func mapValues(m map[string]string) (all []string) {
	for _, value := range m {
		all = append(all, value)
	}
	return all
}

// A shell gets values from its environment, because an expression would expand them as commands.
func TestDocsReviewAction_Commands_NoExpressions(t *testing.T) {
	action := parse[ciAction](t, reviewAction)
	for _, step := range action.Runs.Steps {
		if expression.MatchString(step.Run) {
			t.Errorf("%s has an expression in its commands", step.Name)
		}
		for _, name := range regexp.MustCompile(`inputs\.([\w-]+)`).FindAllStringSubmatch(strings.Join(append(mapValues(step.Env), step.If, step.WorkingDirectory), " "), -1) {
			if _, ok := action.Inputs[name[1]]; !ok {
				t.Errorf("%s uses the input %s, which is not there", step.Name, name[1])
			}
		}
	}
	guide := read(t, "../../templates/guides/ci-github.md.tmpl")
	for name := range action.Inputs {
		if !strings.Contains(guide, "| `"+name+"` |") {
			t.Errorf("the guide does not describe the input %s", name)
		}
	}
	for name, output := range action.Outputs {
		if output.Value != "${{ steps.review.outputs."+name+" }}" {
			t.Errorf("the output %s is %s", name, output.Value)
		}
	}
}

// A gitlabJob is a job of the GitLab template.
type gitlabJob struct {
	Extends       string
	Stage         string
	Script        []string
	Variables     map[string]string
	Needs         []string
	ResourceGroup string `yaml:"resource_group"`
	Interruptible *bool
	Environment   struct{ Name, Action string }
	Rules         []struct{ If, When string }
	Artifacts     struct{ Paths []string }
}

func gitlabJobs(t *testing.T) map[string]gitlabJob {
	t.Helper()
	all, jobs := parse[map[string]yaml.Node](t, reviewGitLab), map[string]gitlabJob{}
	for _, name := range []string{".plan", "review", "plan", "apply"} {
		node, job := all[name], gitlabJob{}
		if err := node.Decode(&job); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if job.Extends != "" {
			job.Script, job.Stage = jobs[job.Extends].Script, jobs[job.Extends].Stage
		}
		jobs[name] = job
	}
	return jobs
}

// gitlab runs a job of the GitLab template in a folder with a shell, and keeps and restores artifacts.
func (r *ciRun) gitlab(t *testing.T, name string, shell []string, folder string, variables ...string) (status int, printed string) {
	t.Helper()
	job := gitlabJobs(t)[name]
	if len(job.Script) == 0 {
		t.Fatalf("%s has no script", name)
	}
	for _, needed := range job.Needs {
		run(t, "cp", "-R", filepath.Join(r.server, needed)+"/.", folder)
	}
	command := exec.CommandContext(t.Context(), shell[0], append(shell[1:], "-c", strings.Join(job.Script, "\n"))...)
	command.Dir = folder
	command.Env = append(r.environment, "CI_API_V4_URL=https://gitlab.example/api/v4", "CI_PROJECT_ID=5", "TF_IN_AUTOMATION=1", "TF_INPUT=0", "RULES=rules.zulip.hcl")
	for key, value := range job.Variables {
		command.Env = append(command.Env, key+"="+value)
	}
	command.Env = append(command.Env, variables...)
	out, err := command.CombinedOutput()
	if status = command.ProcessState.ExitCode(); err != nil && status <= 0 {
		t.Fatal(err)
	}
	if status == 0 {
		for _, file := range job.Artifacts.Paths {
			run(t, "mkdir", "-p", filepath.Join(r.server, name))
			run(t, "cp", filepath.Join(folder, file), filepath.Join(r.server, name))
		}
	}
	return status, string(out)
}

// Like on GitHub, a merge request that adds a guest fails. On the default branch the job shows the change, and applies it
// as shown.
func TestDocsReviewGitLab_MergeRequest_Checked(t *testing.T) {
	t.Parallel()
	// The shell of the image is neither of the two. It accepts the syntax that both accept.
	for _, shell := range [][]string{{"bash", "-eo", "pipefail"}, {"sh", "-e"}} {
		t.Run(shell[0], func(t *testing.T) {
			r := newCIRun(t)
			mergeRequest := []string{"CI_PIPELINE_SOURCE=merge_request_event", "CI_MERGE_REQUEST_IID=7", "ZULIP_REVIEW_TOKEN=token"}
			job := func(name string, wantStatus int, want string, variables ...string) {
				t.Helper()
				if status, printed := r.gitlab(t, name, shell, r.checkout(t), variables...); status != wantStatus || !strings.Contains(printed, want) {
					t.Fatalf("%s ends with %d, want %d, and prints, without %q:\n%s", name, status, wantStatus, want, printed)
				}
			}
			r.config = newsChannel("News", "role:moderators")
			job("plan", 0, "### Access review", "CI_PIPELINE_SOURCE=push")
			job("apply", 0, "2 added", "CI_PIPELINE_SOURCE=push")
			r.config = newsChannel("All the news", "role:moderators")
			job("review", 0, "### Access review", mergeRequest...)
			r.config = newsChannel("News", "role:everyone")
			job("review", 2, "`Paul Dubois`", mergeRequest...)
			const notes = "https://gitlab.example/api/v4/projects/5/merge_requests/7/notes"
			calls := r.serverFile(t, "calls")
			for _, want := range []string{"--request POST --data-urlencode body@note.md " + notes + "\n", "--request PUT --data-urlencode body@note.md " + notes + "/71\n"} {
				if strings.Count(calls, want) != 1 {
					t.Errorf("curl is asked, not once %q:\n%s", want, calls)
				}
			}
			if note := r.serverFile(t, "comment"); !strings.HasPrefix(note, "<!-- zulip-access-review -->\n### Access review") || !strings.Contains(note, "`Paul Dubois`") {
				t.Errorf("the note is\n%s", note)
			}
			job("plan", 0, "`Paul Dubois`", "CI_PIPELINE_SOURCE=push")
			job("plan", 2, "`Paul Dubois`", "CI_PIPELINE_SOURCE=schedule")
			job("apply", 0, "1 changed", "CI_PIPELINE_SOURCE=push")
			job("apply", 1, "stale", "CI_PIPELINE_SOURCE=push")
			job("plan", 0, "", "CI_PIPELINE_SOURCE=schedule")
			if after := r.serverFile(t, "calls"); after != calls {
				t.Errorf("what is no merge request gets a note:\n%s", after)
			}
			for _, name := range []string{"review", "plan"} { // a plan that fails, and an unreadable one
				r.config = "nonsense"
				job(name, 1, "", mergeRequest...)
				r.config = newsChannel("News", "role:members")
				bin := t.TempDir()
				writeProgram(t, bin, "terraform", "#!/bin/sh\nif [ \"$1\" = show ]; then echo '{'; else PATH=${PATH#*:} exec terraform \"$@\"; fi\n")
				job(name, 1, "change.json", append(mergeRequest, "PATH="+bin+":"+variableOf(r.environment, "PATH"))...)
			}
			if after := r.serverFile(t, "calls"); after != calls {
				t.Errorf("what has no review gets a note:\n%s", after)
			}
		})
	}
}

// variableOf returns the value of a variable. If it is set several times, the last one counts.
func variableOf(environment []string, name string) (value string) {
	for _, variable := range environment {
		if found, ok := strings.CutPrefix(variable, name+"="); ok {
			value = found
		}
	}
	return value
}

func TestDocsReviewGitLab_Environments_Protected(t *testing.T) {
	jobs := gitlabJobs(t)
	review, plan, apply := jobs["review"], jobs["plan"], jobs["apply"]
	isDefault := "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH"
	switch {
	case review.Environment.Name != "zulip-review" || plan.Environment.Name != "zulip-plan" || apply.Environment.Name != "zulip":
		t.Error("the environments are others")
	case review.Environment.Action != "verify" || plan.Environment.Action != "verify":
		t.Error("a plan is a deployment")
	case len(review.Rules) != 1 || review.Rules[0].If != `$CI_PIPELINE_SOURCE == "merge_request_event"`:
		t.Errorf("review runs %v", review.Rules)
	case len(plan.Rules) != 1 || plan.Rules[0].If != isDefault:
		t.Errorf("plan runs %v", plan.Rules)
	case len(apply.Rules) != 1 || apply.Rules[0].If != isDefault+` && $CI_PIPELINE_SOURCE != "schedule"` || apply.Rules[0].When != "manual":
		t.Errorf("apply runs %v", apply.Rules)
	case apply.ResourceGroup == "" || apply.Interruptible == nil || *apply.Interruptible || plan.Interruptible == nil || *plan.Interruptible:
		t.Error("applies run at the same time, or are stopped")
	case review.Interruptible == nil || !*review.Interruptible:
		t.Error("the review of an older commit goes on")
	}
}

// The guide says that an account without the role of administrator sees no private channel of others, and that its plans
// warn about changes that it can't make.
func TestDocsReview_NotAdministrator_Limited(t *testing.T) {
	t.Parallel()
	r := newCIRun(t)
	moderator := r.as(t, "amara.okafor@example.com")
	inFolder := func(environment []string, commands string) string {
		t.Helper()
		return inShell(t, r.checkout(t), environment, "terraform init && "+commands)
	}
	r.config = newsChannel("News", "role:moderators")
	inFolder(r.environment, "terraform apply")
	if said := inFolder(moderator, "terraform plan -detailed-exitcode"); !strings.Contains(said, "No changes.") {
		t.Errorf("a moderator's plan with hidden emails that the state knows:\n%s", said)
	}
	r.config = strings.Replace(r.config, "paul.dubois@example.com", "kenji.sato@example.com", 1)
	if said := inFolder(moderator, "! terraform plan"); !strings.Contains(strings.Join(strings.Fields(said), " "), "sees no user or bot with the email \"kenji.sato@example.com\"") {
		t.Errorf("a moderator's plan with a hidden email that the state doesn't know:\n%s", said)
	}
	withoutPeople := func(posters string) string {
		channel, _, _ := strings.Cut(newsChannel("News", posters), "resource \"zulip_channel_subscribers\"")
		return channel
	}
	r.config = withoutPeople("role:moderators")
	inFolder(r.environment, "terraform apply")
	if said := inFolder(moderator, "terraform plan -detailed-exitcode"); !strings.Contains(said, "No changes.") {
		t.Errorf("a moderator's plan without changes:\n%s", said)
	}
	r.config = withoutPeople("role:everyone")
	if said := inFolder(moderator, "terraform plan"); !strings.Contains(said, "Warning: amara.okafor@example.com cannot change channel") {
		t.Errorf("a moderator's plan of a change:\n%s", said)
	}
	// The account sees the channel of the configuration, because it is named there. It does not see the other channel.
	r.config = withoutPeople("role:moderators")
	for name, named := range map[string]string{"seen": "role:moderators", "secret": "role:administrators"} {
		r.config += "\nresource \"zulip_channel\" \"" + name + "\" {\n  name = \"" + name + "\"\n  privacy = \"private_shared_history\"\n" +
			"  can_administer_channel_group = [\"" + named + "\"]\n}\n"
	}
	inFolder(r.environment, "terraform apply")
	const planned = " will be created"
	// The account creates channels that it then cannot administer, which is an error of its own.
	said := inFolder(moderator, "TF_CLI_ARGS_plan=-target=zulip_channel.seen terraform plan && { terraform plan || true; }")
	if strings.Contains(said, "zulip_channel.seen"+planned) || !strings.Contains(said, "with zulip_channel.secret") {
		t.Errorf("a moderator's plan with private channels:\n%s", said)
	}
}

// postersRule fails if a guest posts in #news.
const postersRule = "rule \"no guest posts news\" {\n  channels   = \"news\"\n  permission = \"send_message\"\n  never      = \"role:guests\"\n}\n"

// A pull request is checked with the rules of its base branch, even if it changes the file.
func TestDocsReviewRules_OfBaseBranch(t *testing.T) {
	t.Parallel()
	r, workflow := newCIRun(t), parse[ciWorkflow](t, reviewWorkflow)
	r.config = newsChannel("News", "role:moderators")
	first := r.checkout(t)
	inShell(t, first, r.environment, "terraform init && terraform apply")
	r.config = newsChannel("News", "role:everyone")
	github := func(rules string) (int, string) {
		folder := r.checkout(t)
		if rules != "" {
			write(t, filepath.Join(folder, "rules.zulip.hcl"), rules)
		}
		result := r.job(t, workflow, "review", folder, pullRequest)
		return result.status, result.summary
	}
	gitlab := func(rules string) (int, string) {
		folder := r.checkout(t)
		if rules != "" {
			write(t, filepath.Join(folder, "rules.zulip.hcl"), rules)
		}
		return r.gitlab(t, "review", []string{"sh", "-e"}, folder, "CI_PIPELINE_SOURCE=merge_request_event", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main")
	}
	const fails, changes = "`no guest posts news` (`rules.zulip.hcl:1`): **fails after this plan**", " request changes the rules in `rules.zulip.hcl`."
	for name, review := range map[string]func(string) (int, string){"GitHub": github, "GitLab": gitlab} {
		_ = os.Remove(filepath.Join(r.server, "rules.zulip.hcl"))
		if status, text := review(""); status != 2 || strings.Contains(text, "#### Rules") || strings.Contains(text, "the rules in") {
			t.Errorf("%s, no rules: it ends with %d:\n%s", name, status, text)
		}
		if _, text := review(postersRule); strings.Contains(text, "#### Rules") || !strings.Contains(text, "the rules in `rules.zulip.hcl`.") {
			t.Errorf("%s, new rules:\n%s", name, text)
		}
		write(t, filepath.Join(r.server, "rules.zulip.hcl"), postersRule)
		if _, text := review(postersRule); !strings.Contains(text, fails) || strings.Contains(text, changes) {
			t.Errorf("%s, the same rules:\n%s", name, text)
		}
		for _, changed := range []string{"", "# none\n"} {
			if _, text := review(changed); !strings.Contains(text, fails) || !strings.Contains(text, changes) {
				t.Errorf("%s, rules %q:\n%s", name, changed, text)
			}
		}
	}
}
