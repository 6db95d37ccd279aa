package directory

// indexed is a list in the server's order whose things are found by ID and by name, however many there are.
type indexed[T any] struct {
	list   []*T
	byID   map[int64]*T
	byName map[string]*T
}

// index makes it of a list. Of several of one name the first has it; what has given its name up is named "".
func index[T any](list []*T, id func(*T) int64, name func(*T) string) indexed[T] {
	i := indexed[T]{list: list, byID: make(map[int64]*T, len(list)), byName: make(map[string]*T, len(list))}
	for _, one := range list {
		i.byID[id(one)] = one
		if called := name(one); called != "" && i.byName[called] == nil {
			i.byName[called] = one
		}
	}
	return i
}

func (i indexed[T]) withID(id int64) (*T, bool) {
	one, ok := i.byID[id]
	return one, ok
}

func (i indexed[T]) called(name string) (*T, bool) {
	one, ok := i.byName[name]
	return one, ok
}
