package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// fill makes the groups, each in the one before it by turns, and the folders.
func (w *world) fill() error {
	var members struct {
		Members []struct {
			ID int64 `json:"user_id"`
		} `json:"members"`
	}
	if err := w.call(http.MethodGet, "/users", nil, &members); err != nil {
		return err
	}
	for _, member := range members.Members {
		w.members = append(w.members, member.ID)
	}
	for i := range w.groups {
		var ids []int64
		for j := range 25 {
			ids = append(ids, w.members[(i*25+j)%len(w.members)])
		}
		var made struct {
			ID int64 `json:"group_id"`
		}
		form := url.Values{"name": {fmt.Sprintf("team-%d", i)}, "description": {"A team"}, "members": {list(ids)}}
		if err := w.call(http.MethodPost, "/user_groups/create", form, &made); err != nil {
			return err
		}
		w.teams = append(w.teams, made.ID)
	}
	for i := range 20 {
		var made struct {
			ID int64 `json:"channel_folder_id"`
		}
		form := url.Values{"name": {fmt.Sprintf("Folder %d", i)}, "description": {""}}
		if err := w.call(http.MethodPost, "/channel_folders/create", form, &made); err != nil {
			return err
		}
		w.folders = append(w.folders, made.ID)
	}
	return nil
}

// fillChannels makes channels as an organization has them: every fourth is private, each has subscribers of its own here and
// there among all people, and each team administers some.
func (w *world) fillChannels(n int) error {
	for i := range n {
		var in []int64
		for at, step := i%7, i; at < len(w.members); at += 1 + step%70 {
			in, step = append(in, w.members[at]), (step*31+11)%10_007
		}
		form := url.Values{
			"name": {fmt.Sprintf("bench-%d", i)}, "description": {fmt.Sprintf("Channel %d", i)}, "subscribers": {list(in)},
			"folder_id":                    {fmt.Sprint(w.folders[i%len(w.folders)])},
			"can_administer_channel_group": {fmt.Sprint(w.teams[i%len(w.teams)])},
			"can_send_message_group":       {fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[%d]}`, w.members[i%len(w.members)], w.teams[(i+1)%len(w.teams)])},
		}
		if i%4 == 0 {
			form.Set("invite_only", "true")
			form.Set("history_public_to_subscribers", "true")
			form.Set("can_subscribe_group", fmt.Sprint(w.teams[(i+2)%len(w.teams)]))
		}
		if err := w.call(http.MethodPost, "/channels/create", form, nil); err != nil {
			return err
		}
	}
	return nil
}

// list is IDs as the API takes them.
func list(ids []int64) string {
	return strings.ReplaceAll(fmt.Sprint(ids), " ", ",")
}
