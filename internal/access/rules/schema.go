package rules

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/zulip-iac/terraform-provider-zulip/internal/access/hclfile"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// Schema returns the JSON Schema of files of rules in the JSON syntax. It is of draft 7, which every editor knows; enumDescriptions
// are an extension that VS Code shows.
func Schema() []byte {
	root := object(fileSpec)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "Rules of a Zulip organization"
	root["definitions"] = schema{
		"principal": principalSchema(true), "person": principalSchema(false),
		"channel": channelSchema(), "channel_right": rightSchema(rightsInChannels), "group_right": rightSchema(rightsOverGroups), "organization_right": rightSchema(rightsOfOrganization),
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return append(text, '\n')
}

// object is the schema of a block, or of the file.
func object(spec *hclfile.Spec) schema {
	properties := schema{"//": schema{"description": "A comment."}}
	if spec == fileSpec {
		properties["$schema"] = schema{"type": "string", "description": "The schema of this file, for editors."}
	}
	var required []string
	for _, one := range spec.Attributes {
		value := valueOf(one)
		value["description"] = one.About
		properties[one.Name] = value
		if one.Missing != "" {
			required = append(required, one.Name)
		}
	}
	for _, one := range spec.Blocks {
		block := object(one)
		if one.Label == "" {
			properties[one.Name] = schema{"description": one.About, "anyOf": []schema{block, {"type": "array", "items": block, "minItems": 1}}}
			continue
		}
		properties[one.Name] = schema{
			"type": "object", "description": one.About + " The name of each property is that of the " + one.Name + ".",
			"propertyNames": schema{"pattern": `\S`}, "additionalProperties": block,
		}
	}
	made := schema{"type": "object", "description": spec.About, "properties": properties, "additionalProperties": false}
	if required != nil {
		made["required"] = required
	}
	switch spec {
	case ruleSpec:
		made["allOf"] = ruleShape()
	case limitSpec:
		made["anyOf"] = []schema{{"required": []string{"people"}}, {"required": []string{"percent"}}}
	}
	return made
}

// ruleShape says what [parser.shape] does: that a rule is about one thing, and says something of it.
func ruleShape() []schema {
	has := func(name string) schema { return schema{"required": []string{name}} }
	lacks := func(names ...string) schema {
		var all []schema
		for _, name := range names {
			all = append(all, has(name))
		}
		return schema{"not": schema{"anyOf": all}}
	}
	rights := func(definition string) schema {
		return schema{"properties": schema{"right": oneOrMore(schema{"$ref": "#/definitions/" + definition})}, "required": []string{"right"}}
	}
	return []schema{
		{
			"if": has("joining"), "then": lacks("channels", "groups", "right", "role", "only", "never", "at_least", "at_most", "except"),
			"else": schema{"anyOf": []schema{has("only"), has("never"), has("at_least"), has("at_most")}},
		},
		{"if": has("role"), "then": lacks("channels", "groups", "right")},
		{"if": has("channels"), "then": schema{"allOf": []schema{rights("channel_right"), lacks("groups")}}},
		{"if": has("groups"), "then": rights("group_right")},
		{"if": lacks("channels", "groups", "role", "joining"), "then": rights("organization_right")},
	}
}

// valueOf is the schema of the value of an attribute.
func valueOf(of hclfile.AttributeSpec) schema {
	switch of.Name {
	case "channels":
		return oneOrMore(schema{"$ref": "#/definitions/channel"})
	case "only", "never":
		return oneOrMore(schema{"$ref": "#/definitions/principal"})
	case "people":
		if of.Form == hclfile.TextOrTexts {
			return oneOrMore(schema{"$ref": "#/definitions/person"})
		}
	case "role":
		return oneOrMore(schema{"enum": roleNames})
	case "joining":
		return schema{"const": invited}
	}
	switch of.Form {
	case hclfile.Number:
		number := schema{"type": "integer", "minimum": of.Least}
		if of.Most > 0 {
			number["maximum"] = of.Most
		}
		return number
	case hclfile.Day:
		return schema{"type": "string", "format": "date", "pattern": `^\d{4}-\d{2}-\d{2}$`}
	case hclfile.TextOrTexts:
		return oneOrMore(textSchema())
	}
	return textSchema()
}

func textSchema() schema { return schema{"type": "string", "pattern": `\S`} }

func oneOrMore(one schema) schema {
	return schema{"anyOf": []schema{one, {"type": "array", "items": one, "minItems": 1}}}
}

// choices is one of some texts, each with what it is.
func choices(texts, abouts []string) schema {
	return schema{"enum": texts, "enumDescriptions": abouts}
}

// principalSchema is whom rules name. Those without an account are named in rules and in no exception.
func principalSchema(hasInternet bool) schema {
	var texts, abouts []string
	if hasInternet {
		texts, abouts = []string{internet}, []string{"people without an account"}
	}
	for _, name := range ruleRoles() {
		about := "a role, with those above it"
		if name == guests.WireName() {
			about = "everybody whose role is guest"
		}
		texts, abouts = append(texts, name), append(abouts, about)
	}
	return schema{
		"description": "A role, user group or person.",
		"anyOf": []schema{
			choices(texts, abouts),
			{"type": "string", "pattern": "^(group|user):", "not": schema{"pattern": "^(group|user):$"}},
			{"type": "string", "pattern": "^(group_id|user_id):[1-9][0-9]{0,18}$"},
		},
	}
}

func channelSchema() schema {
	texts, abouts := []string{"*"}, []string{"all channels"}
	for _, one := range privacies {
		texts, abouts = append(texts, "privacy:"+one.name), append(abouts, one.about)
	}
	return schema{
		"description": "A channel by name or name:NAME, a pattern with *, folder:NAME, or privacy:KIND.",
		"anyOf":       []schema{choices(texts, abouts), {"type": "string", "pattern": `\S`, "not": schema{"pattern": "^privacy:"}}},
	}
}

// rightSchema are the rights, by their short names first.
func rightSchema(of thingRights) schema {
	type right struct{ text, about string }
	var short, long []right
	for _, name := range of.names {
		short = append(short, right{shortName(name), rightAbout(name)})
		if shortName(name) != name {
			long = append(long, right{name, rightAbout(name)})
		}
	}
	slices.SortFunc(short, func(a, b right) int { return cmp.Compare(a.text, b.text) })
	var texts, abouts []string
	for _, one := range append(short, long...) {
		texts, abouts = append(texts, one.text), append(abouts, one.about)
	}
	made := choices(texts, abouts)
	made["description"] = "One of the " + of.things + "."
	return made
}
