package report

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// masked replaces a text that must not be shown.
const masked = "(sensitive value)"

// Mask replaces texts wherever the report has them.
func (r *Report) Mask(secrets []string) {
	if len(secrets) == 0 {
		return
	}
	secrets = slices.Clone(secrets)
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // one may be a part of another
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, masked)
	}
	m := masker{strings.NewReplacer(pairs...), map[uintptr]bool{}}
	m.mask(reflect.ValueOf(r))
}

type masker struct {
	replacer *strings.Replacer
	seen     map[uintptr]bool // pointers that are masked already
}

func (m masker) mask(value reflect.Value) {
	switch value.Kind() { //nolint:exhaustive // a report has texts in nothing else
	case reflect.String:
		if value.CanSet() {
			value.SetString(m.replacer.Replace(value.String()))
		}
	case reflect.Pointer:
		if !value.IsNil() && !m.seen[value.Pointer()] {
			m.seen[value.Pointer()] = true
			m.mask(value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			m.mask(value.Index(i))
		}
	case reflect.Struct:
		for i := range value.NumField() {
			m.mask(value.Field(i))
		}
	}
}
