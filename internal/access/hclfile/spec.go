package hclfile

import (
	"slices"
	"strings"

	"github.com/zulip-iac/terraform-provider-zulip/internal/realm/suggest"
)

// Spec is what a block can have, or a file.
type Spec struct {
	// Name is the type of the block; empty for a file.
	Name string
	// Label is an example of the name that the block takes; empty if it takes none.
	Label      string
	Attributes []AttributeSpec
	Blocks     []*Spec
}

// AttributeSpec is what an attribute can be.
type AttributeSpec struct {
	Name string
	// Least and Most are the bounds of a number; Most is 0 where there is none.
	Least, Most int
	// Missing says what to write where a block lacks it; empty if it may.
	Missing string
}

func (s *Spec) block(name string) *Spec {
	for _, one := range s.Blocks {
		if one.Name == name {
			return one
		}
	}
	return nil
}

func (s *Spec) blockNames() (names []string) {
	for _, one := range s.Blocks {
		names = append(names, one.Name)
	}
	return names
}

func (s *Spec) attribute(name string) *AttributeSpec {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return &s.Attributes[i]
		}
	}
	return nil
}

// names are those of the attributes, and of the blocks.
func (s *Spec) names() suggest.Names {
	names := suggest.Names{Things: "attributes"}
	for _, one := range s.Attributes {
		names.All = append(names.All, one.Name)
	}
	names.All = append(names.All, s.blockNames()...)
	return names
}

// Find returns what a block is by the spec of what it stands in, and notes that it is not known, and whether it has the name that it
// takes. A block whose type is misspelled is read as the one that is meant, so that its mistakes are said too; nil if it is none.
func (r *Reader) Find(block *Block, in *Spec) *Spec {
	spec := in.block(block.Type)
	if spec == nil {
		names := in.names()
		if in.Name == "" {
			names.Things = "blocks"
			r.Fail(block.Line, "there is no block %s%s", suggest.Quote(block.Type), names.Suggest(block.Type))
		} else {
			r.Fail(block.Line, "%s has no block %s%s", in.Name, suggest.Quote(block.Type), names.Suggest(block.Type))
		}
		if near := suggest.Nearest(block.Type, in.blockNames()); len(near) == 1 {
			return in.block(near[0])
		}
		return nil
	}
	switch hasName := len(block.Labels) == 1 && strings.TrimSpace(block.Labels[0]) != ""; {
	case spec.Label != "" && !hasName:
		r.Fail(block.Line, "%s takes one name, as in %s %s { … }", spec.Name, spec.Name, suggest.Quote(spec.Label))
	case spec.Label == "" && len(block.Labels) > 0:
		r.Fail(block.Line, "%s takes no name: write %s { … }", spec.Name, spec.Name)
	}
	return spec
}

// Has are the attributes and blocks that a block has, also misspelled: what is misspelled is not missing.
type Has map[string]bool

// Any reports whether any of these is there.
func (h Has) Any(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return h[name] })
}

// Check notes every attribute and block that a block cannot have, and what it lacks. It returns what is there, and the attributes
// that are to be read.
func (r *Reader) Check(block *Block, spec *Spec) (has Has, attributes []*Attribute) {
	has = Has{}
	for _, one := range block.Attributes {
		has[one.Name] = true
		switch {
		case spec.attribute(one.Name) != nil:
			attributes = append(attributes, one)
		case spec.block(one.Name) != nil:
			r.Fail(one.Line, "%s is a block: write %s { … }, without =", one.Name, one.Name)
		default:
			r.Fail(one.Line, "%s has no attribute %s%s", spec.Name, suggest.Quote(one.Name), spec.names().Suggest(one.Name))
			for _, near := range suggest.Nearest(one.Name, spec.names().All) {
				has[near] = true
			}
		}
	}
	for _, one := range block.Blocks {
		has[one.Type] = true
	}
	for _, one := range spec.Attributes {
		if one.Missing != "" && !has[one.Name] {
			r.Fail(block.Line, "%s is missing: %s", one.Name, one.Missing)
		}
	}
	return has, attributes
}

// Whole reads a number within the bounds of its spec.
func (r *Reader) Whole(of *Attribute, spec *Spec) int {
	bounds := spec.attribute(of.Name)
	number := r.Number(of, bounds.Least)
	if bounds.Most > 0 && number > bounds.Most {
		r.Fail(of.Line, "%s is at most %d", of.Name, bounds.Most)
	}
	return number
}
