package zulip

import (
	"encoding/json"
	"reflect"
	"strings"
)

// rawType is the type of a field that the client keeps as it is.
var rawType = reflect.TypeFor[json.RawMessage]()

// answerTypes are the types into which the client decodes the fields of answers, by path. Those of the organization's settings
// in /register are in [Realm].
var answerTypes = map[string]map[string]reflect.Type{
	"/server_settings": fieldTypes(reflect.TypeFor[ServerSettings]()),
	"/users/me":        fieldTypes(reflect.TypeFor[User]()),
	"/users":           {"members": reflect.TypeFor[[]User]()},
	"/streams":         {"streams": reflect.TypeFor[[]channelRow]()},
	"/user_groups":     {"user_groups": reflect.TypeFor[[]userGroupRow]()},
	"/channel_folders": {"channel_folders": reflect.TypeFor[[]ChannelFolder]()},
	"/invites":         {"invites": reflect.TypeFor[[]Invitation]()},
	"/bots":            {"bots": reflect.TypeFor[[]Bot]()},

	"/realm/linkifiers":       {"linkifiers": reflect.TypeFor[[]Linkifier]()},
	"/realm/profile_fields":   {"custom_fields": reflect.TypeFor[[]ProfileField]()},
	"/users/me/subscriptions": {"subscriptions": reflect.TypeFor[[]Subscription]()},
	registerPath: {
		"queue_id":                     reflect.TypeFor[string](),
		"zulip_feature_level":          reflect.TypeFor[int](),
		"realm_user_groups":            reflect.TypeFor[[]userGroupRow](),
		"streams":                      reflect.TypeFor[[]channelRow](),
		"realm_default_streams":        reflect.TypeFor[channelIDs](),
		"realm_default_stream_groups":  reflect.TypeFor[[]DefaultChannelGroup](),
		"channel_folders":              reflect.TypeFor[[]ChannelFolder](),
		"subscriptions":                reflect.TypeFor[[]subscribersRow](),
		"unsubscribed":                 reflect.TypeFor[[]subscribersRow](),
		"never_subscribed":             reflect.TypeFor[[]subscribersRow](),
		"custom_profile_fields":        reflect.TypeFor[[]ProfileField](),
		"realm_linkifiers":             reflect.TypeFor[[]Linkifier](),
		"realm_bots":                   reflect.TypeFor[[]Bot](),
		"user_status":                  reflect.TypeFor[map[int64]Status](),
		"realm_user_settings_defaults": reflect.TypeFor[map[string]json.RawMessage](),
		"realm_emoji":                  reflect.TypeFor[map[string]CustomEmoji](),
		"realm_playgrounds":            reflect.TypeFor[[]Playground](),
		"realm_domains":                reflect.TypeFor[[]Domain](),
		"realm_users":                  reflect.TypeFor[[]User](),
		"realm_non_active_users":       reflect.TypeFor[[]User](),
		"cross_realm_bots":             reflect.TypeFor[[]User](),
	},
}

// realmTypes are those of the fields of [Realm].
var realmTypes = fieldTypes(reflect.TypeFor[Realm]())

// AnswerType returns the type into which the client decodes a field of an answer; nil if it does not read the field, or keeps
// it as it is. The path is that of the request.
func AnswerType(path, field string) reflect.Type {
	if known, ok := answerTypes[path][field]; ok {
		return known
	}
	if path != registerPath {
		return nil
	}
	if known, ok := realmTypes[field]; ok {
		return known
	}
	if name, ok := strings.CutPrefix(field, realmFieldPrefix); ok && isRealmPermission(name) {
		return reflect.TypeFor[GroupSettingValue]()
	}
	return nil
}

// FieldType returns the type into which a field of an object of a type is decoded; nil if there is none, or it is kept as it is.
func FieldType(object reflect.Type, field string) reflect.Type {
	switch {
	case object == nil:
		return nil
	case object.Kind() == reflect.Map:
		if object.Elem() == rawType {
			return nil
		}
		return object.Elem()
	}
	return fieldTypes(object)[field]
}

// fieldTypes are the types of a struct's fields by their names in the API.
func fieldTypes(object reflect.Type) map[string]reflect.Type {
	if object.Kind() == reflect.Pointer {
		object = object.Elem()
	}
	if object.Kind() != reflect.Struct {
		return nil
	}
	types := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(object) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" && field.Type != rawType {
			types[name] = field.Type
		}
	}
	return types
}
