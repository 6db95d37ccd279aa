// Demo changes a permission of a channel outside Terraform, for the demo and the guides:
//
//	demo CHANNEL SETTING        prints which group has a permission in a channel
//	demo CHANNEL SETTING GROUP  sets the permission to a group
//
// It reads server and account from ZULIP_SITE, ZULIP_EMAIL and ZULIP_API_KEY. It shares no code with the provider, so that
// its output is independent of the provider.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 3 && len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: demo CHANNEL SETTING [GROUP]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(channel, setting string, group []string) error {
	groups, err := groupIDs()
	if err != nil {
		return err
	}
	stream, err := findChannel(channel)
	if err != nil {
		return err
	}
	if len(group) == 0 {
		fmt.Println(groupName(stream[setting], groups))
		return nil
	}
	id, known := groups[group[0]]
	if !known {
		return fmt.Errorf("there is no group %s", group[0])
	}
	// The request has no "old" value, like a click in the web app.
	change := url.Values{setting: {fmt.Sprintf(`{"new": %d}`, id)}}
	var streamID int
	if err := json.Unmarshal(stream["stream_id"], &streamID); err != nil {
		return err
	}
	return call(http.MethodPatch, "streams/"+strconv.Itoa(streamID), change, nil)
}

func groupIDs() (map[string]int, error) {
	var answer struct {
		Groups []struct {
			ID   int
			Name string
		} `json:"user_groups"`
	}
	err := call(http.MethodGet, "user_groups", nil, &answer)
	ids := map[string]int{}
	for _, group := range answer.Groups {
		ids[group.Name] = group.ID
	}
	return ids, err
}

func findChannel(channel string) (map[string]json.RawMessage, error) {
	var answer struct{ Streams []map[string]json.RawMessage }
	if err := call(http.MethodGet, "streams", nil, &answer); err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(channel)
	if err != nil {
		return nil, err
	}
	for _, stream := range answer.Streams {
		if string(stream["name"]) == string(quoted) {
			return stream, nil
		}
	}
	return nil, fmt.Errorf("there is no channel %s", channel)
}

// groupName returns the name of the group if value is a group's ID, and otherwise the value.
func groupName(value json.RawMessage, groups map[string]int) string {
	for name, id := range groups {
		if string(value) == strconv.Itoa(id) {
			return name
		}
	}
	return string(value)
}

func call(method, path string, form url.Values, answer any) error {
	request, err := http.NewRequest(method, os.Getenv("ZULIP_SITE")+"/api/v1/"+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.SetBasicAuth(os.Getenv("ZULIP_EMAIL"), os.Getenv("ZULIP_API_KEY"))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, body)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(body, answer)
}
