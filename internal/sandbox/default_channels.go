package sandbox

func addDefaultChannel(r *request) (fields, error) {
	id := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.AddDefaultChannel(r.me, id)
}

func removeDefaultChannel(r *request) (fields, error) {
	id := required(r, "stream_id", integer)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.RemoveDefaultChannel(r.me, id)
}

func createDefaultChannelGroup(r *request) (fields, error) {
	name := required(r, "group_name", text())
	description := required(r, "description", text())
	channels := required(r, "stream_names", texts)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.CreateDefaultChannelGroup(r.me, name, description, channels)
}

func updateDefaultChannelGroup(r *request) (fields, error) {
	name := withDefault(r, "new_group_name", text(), "")
	description := withDefault(r, "new_description", text(), "")
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.UpdateDefaultChannelGroup(r.id("group_id"), name, description)
}

func changeDefaultChannelGroup(r *request) (fields, error) {
	op := required(r, "op", text())
	channels := required(r, "stream_names", texts)
	if err := r.checked(); err != nil {
		return nil, err
	}
	return nil, r.org.ChangeDefaultChannelGroup(r.me, r.id("group_id"), op, channels)
}

func deleteDefaultChannelGroup(r *request) (fields, error) {
	return nil, r.org.DeleteDefaultChannelGroup(r.id("group_id"))
}

// channelRefs names channels: by id, or as whole objects on older servers.
func (r *request) channelRefs(ids []int) any {
	if r.level >= levelChannelIDs {
		return ids
	}
	objects := []fields{}
	for _, id := range ids {
		if ch, ok := r.org.Channels.Get(id); ok {
			objects = append(objects, r.channelObject(ch))
		}
	}
	return objects
}

// registerDefaultChannels is the default_streams part of a snapshot; guests
// are shown none.
func registerDefaultChannels(r *request, _ registerOptions) fields {
	ids := []int{}
	if !r.me.IsGuest() {
		for id := range r.org.DefaultChannels.All() {
			ids = append(ids, id)
		}
	}
	return fields{"realm_default_streams": r.channelRefs(ids)}
}

// registerDefaultChannelGroups is the default_stream_groups part of a snapshot.
func registerDefaultChannelGroups(r *request, _ registerOptions) fields {
	groups := []fields{}
	if !r.me.IsGuest() {
		for _, g := range r.org.ListDefaultChannelGroups() {
			groups = append(groups, fields{
				"id": g.ID, "name": g.Name, "description": g.Description, "streams": r.channelRefs(g.Channels),
			})
		}
	}
	return fields{"realm_default_stream_groups": groups}
}
