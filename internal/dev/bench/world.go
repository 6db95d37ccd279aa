package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A world is the organization that is measured against: a sandbox in a process of its own.
type world struct {
	plugin string // the binary, which is the sandbox too
	dir    string
	people int
	groups int

	members []int64 // everybody, in the order of the server
	teams   []int64 // the groups
	folders []int64
	person  string // somebody whom permissions name
	env     []string
	site    string
	email   string
	key     string

	limited bool // it has the limits that a server has by default
	process *exec.Cmd
	exited  chan error
	read    int64 // how much of the journal has been looked at
}

func (w *world) journal() string { return filepath.Join(w.dir, "journal") }

// start serves the organization, which the state file keeps from one start to the next, so that it can be served with other
// flags. Its address stays the same: channels have it in their URLs.
func (w *world) start(flags ...string) error {
	address := "127.0.0.1:0"
	if w.site != "" {
		address = strings.TrimPrefix(w.site, "http://")
	}
	arguments := append([]string{
		"sandbox", "--listen", address, "--accounts", filepath.Join(w.dir, "accounts.json"),
		"--state", filepath.Join(w.dir, "state"), "--journal", w.journal(),
	}, flags...)
	w.process = exec.Command(w.plugin, arguments...)
	said, err := os.Create(filepath.Join(w.dir, "sandbox.log"))
	if err != nil {
		return err
	}
	defer func() { _ = said.Close() }() // the process has it by then
	w.process.Stderr = said
	stdout, err := w.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := w.process.Start(); err != nil {
		return err
	}
	w.env = nil
	lines := bufio.NewScanner(stdout)
	for len(w.env) < 3 && lines.Scan() {
		name, value, found := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "=")
		if !found {
			continue
		}
		value = strings.Trim(value, `'"`)
		w.env = append(w.env, name+"="+value)
		switch name {
		case "ZULIP_SITE":
			w.site = value
		case "ZULIP_EMAIL":
			w.email = value
		case "ZULIP_API_KEY":
			w.key = value
		}
	}
	w.exited = make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, stdout)
		w.exited <- w.process.Wait()
	}()
	if len(w.env) < 3 {
		why, _ := os.ReadFile(said.Name())
		return fmt.Errorf("the sandbox did not say how to reach it:\n%s", why)
	}
	return nil
}

// restart serves the organization with or without limits, if it is not served so already. Under limits it always begins
// anew: what was asked before does not count.
func (w *world) restart(limited bool) error {
	if !limited && !w.limited {
		return nil
	}
	if err := w.stop(); err != nil {
		return err
	}
	w.limited = limited
	if limited {
		return w.start("--rate-limit")
	}
	return w.start()
}

// stop ends the sandbox and waits until it has written everything.
func (w *world) stop() error {
	if w.process == nil {
		return nil
	}
	if err := w.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	err := <-w.exited
	w.process = nil
	return err
}

// writeAccounts writes the people who are there from the start.
func (w *world) writeAccounts() error {
	type account struct {
		Email    string `json:"email"`
		FullName string `json:"full_name"`
		Role     int    `json:"role"`
	}
	accounts := map[string]account{"owner": {"owner@example.com", "The Owner", 100}}
	for i := range w.people - 1 {
		role := 400
		switch {
		case i%50 == 0:
			role = 300
		case i%10 == 0:
			role = 600
		}
		accounts[fmt.Sprintf("p%d", i)] = account{fmt.Sprintf("person%d@example.com", i), fmt.Sprintf("Person %d", i), role}
	}
	w.person = "person7@example.com"
	data, err := json.Marshal(map[string]any{"accounts": accounts})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, "accounts.json"), data, 0o600)
}

func (w *world) call(method, path string, form url.Values, into any) error {
	req, err := http.NewRequest(method, w.site+"/api/v1"+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.SetBasicAuth(w.email, w.key)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // everything was read
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, body)
	case into == nil:
		return nil
	}
	return json.Unmarshal(body, into)
}

// ready waits until the sandbox answers.
func (w *world) ready() error {
	var err error
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if err = w.call(http.MethodGet, "/users/me", nil, nil); err == nil {
			return nil
		}
		if len(w.exited) > 0 {
			break
		}
	}
	return fmt.Errorf("the sandbox does not answer: %w", err)
}
