package snapshot

import (
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// lazy is a value that is derived when somebody first asks for it, for all who ask.
type lazy[T any] struct {
	once  sync.Once
	value T
}

func (l *lazy[T]) get(derive func() T) T {
	l.once.Do(func() { l.value = derive() })
	return l.value
}

// Index holds the objects of one kind in the server's order, and finds them by ID and by name, however many there are.
// A nil index is empty.
type Index[T any] struct {
	list []*T
	id   func(*T) int64
	// name returns the name that an object holds; "" if it holds none, or has given it up.
	name func(*T) string
	// fold makes texts equal that the server takes for the same name; nil: it tells all apart.
	fold func(string) string

	maps lazy[indexMaps[T]]
}

type indexMaps[T any] struct {
	byID   map[int64]*T
	byName map[string]*T
	// byNormal finds those whose name is not in the Unicode normal form NFC, in which the CLI hands over every text.
	byNormal map[string]*T
}

// List returns all objects. The slice is shared: it must not be changed.
func (x *Index[T]) List() []*T {
	if x == nil {
		return nil
	}
	return x.list
}

// ByID finds an object by its ID.
func (x *Index[T]) ByID(id int64) (*T, bool) {
	if x == nil {
		return nil, false
	}
	object, ok := x.index().byID[id]
	return object, ok
}

// ByName finds the object that holds a name; of several the first. What counts as the same name is what the server takes
// for it.
func (x *Index[T]) ByName(name string) (*T, bool) {
	if x == nil {
		return nil, false
	}
	found := x.index()
	object, ok := found.byName[x.folded(name)]
	if !ok {
		object, ok = found.byNormal[x.folded(name)]
	}
	return object, ok
}

// Name returns the name that an object of the index holds; "" if it holds none, or has given it up.
func (x *Index[T]) Name(object *T) string { return x.name(object) }

// Names returns the names that objects hold.
func (x *Index[T]) Names() []string {
	names := make([]string, 0, len(x.List()))
	for _, object := range x.List() {
		if name := x.name(object); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (x *Index[T]) index() indexMaps[T] {
	return x.maps.get(func() indexMaps[T] {
		found := indexMaps[T]{byID: make(map[int64]*T, len(x.list)), byName: make(map[string]*T, len(x.list)), byNormal: map[string]*T{}}
		for _, object := range x.list {
			found.byID[x.id(object)] = object
			name := x.name(object)
			if name == "" {
				continue
			}
			if name = x.folded(name); found.byName[name] == nil {
				found.byName[name] = object
			}
			if !norm.NFC.IsNormalString(name) {
				found.byNormal[norm.NFC.String(name)] = object
			}
		}
		return found
	})
}

func (x *Index[T]) folded(name string) string {
	if x.fold == nil {
		return name
	}
	return x.fold(name)
}

// fold is how the server compares addresses, and the names of folders: without regard to case.
func fold(text string) string { return strings.ToLower(text) }

// foldChannel is how the server compares the names of channels: spaces around them do not count either.
func foldChannel(text string) string { return fold(strings.TrimSpace(text)) }

func unnamed[T any](*T) string { return "" }
