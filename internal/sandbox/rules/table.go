package rules

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Table holds the rows of one kind of object by id. Rows are values: whoever changes one
// clones its slices and maps first, so that the row before stays as it was and
// can be put back.
type Table[T any] struct {
	name    string
	log     *changeLog
	rows    map[int]T
	ids     []int // ascending
	next    int
	indexes []func(id int, before, after *T)
}

// newTable makes the table of a noun whose first row gets the id first, and
// makes the organization persist it under name.
func newTable[T any](o *Organization, name string, first int) *Table[T] {
	t := &Table[T]{name: name, log: &o.log, rows: map[int]T{}, next: first}
	o.tables = append(o.tables, t)
	return t
}

// index calls f for every change of a row: before is nil when it is new, after
// is nil when it is gone. Undoing a change calls it too.
func (t *Table[T]) index(f func(id int, before, after *T)) {
	t.indexes = append(t.indexes, f)
}

// NextID hands out an id. As with a database sequence, an id is not handed out
// again, even if the change that asked for it is rolled back.
func (t *Table[T]) NextID() int {
	id := t.next
	t.next++
	t.log.sequences[t.name] = t.next
	return id
}

// Get returns the row with the id.
func (t *Table[T]) Get(id int) (T, bool) {
	row, ok := t.rows[id]
	return row, ok
}

// Has reports whether there is a row with the id.
func (t *Table[T]) Has(id int) bool {
	_, ok := t.rows[id]
	return ok
}

// Len returns the number of rows.
func (t *Table[T]) Len() int { return len(t.rows) }

// All iterates over the rows in ascending order of ids. The table must not be
// changed meanwhile.
func (t *Table[T]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for _, id := range t.ids {
			if !yield(id, t.rows[id]) {
				return
			}
		}
	}
}

// Backward iterates over the rows in descending order of ids. The table must
// not be changed meanwhile.
func (t *Table[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for _, id := range slices.Backward(t.ids) {
			if !yield(id, t.rows[id]) {
				return
			}
		}
	}
}

// Put stores a row under its id, new or not.
func (t *Table[T]) Put(id int, row T) {
	before, existed := t.rows[id]
	t.set(id, row)
	t.log.note(recordKey{t.name, id}, func() {
		if existed {
			t.set(id, before)
		} else {
			t.remove(id)
		}
	})
}

// Delete removes a row; removing a missing one does nothing.
func (t *Table[T]) Delete(id int) {
	before, existed := t.rows[id]
	if !existed {
		return
	}
	t.remove(id)
	t.log.note(recordKey{t.name, id}, func() { t.set(id, before) })
}

func (t *Table[T]) set(id int, row T) {
	before, existed := t.rows[id]
	t.rows[id] = row
	if !existed {
		at, _ := slices.BinarySearch(t.ids, id)
		t.ids = slices.Insert(t.ids, at, id)
	}
	for _, f := range t.indexes {
		if existed {
			f(id, &before, &row)
		} else {
			f(id, nil, &row)
		}
	}
}

func (t *Table[T]) remove(id int) {
	before := t.rows[id]
	delete(t.rows, id)
	if at, ok := slices.BinarySearch(t.ids, id); ok {
		t.ids = slices.Delete(t.ids, at, at+1)
	}
	for _, f := range t.indexes {
		f(id, &before, nil)
	}
}

// storedTable is what persistence needs of a table, whatever its rows are.
type storedTable interface {
	tableName() string
	encode(id int) ([]byte, error) // nil for a missing row
	decode(id int, row []byte) error
	sequence() int
	setSequence(next int)
	lastID() int // 0: there are no rows
	restartSequence(next int)
}

func (t *Table[T]) tableName() string    { return t.name }
func (t *Table[T]) sequence() int        { return t.next }
func (t *Table[T]) setSequence(next int) { t.next = max(t.next, next) }

func (t *Table[T]) encode(id int) ([]byte, error) {
	row, ok := t.rows[id]
	if !ok {
		return nil, nil
	}
	return json.Marshal(row)
}

func (t *Table[T]) decode(id int, data []byte) error {
	var row T
	if err := json.Unmarshal(data, &row); err != nil {
		return fmt.Errorf("row %d of %s: %w", id, t.name, err)
	}
	t.set(id, row)
	t.setSequence(id + 1)
	return nil
}

type recordKey struct {
	table string
	id    int
}

// changeLog notes what changed since the last EndRequest, and how to undo it.
type changeLog struct {
	undo      []func()
	kept      int // how many of undo belong to steps that are committed
	dirty     map[recordKey]struct{}
	sequences map[string]int
}

func newChangeLog() changeLog {
	return changeLog{dirty: map[recordKey]struct{}{}, sequences: map[string]int{}}
}

func (l *changeLog) note(key recordKey, undo func()) {
	l.dirty[key] = struct{}{}
	l.undo = append(l.undo, undo)
}

// rewind undoes, newest first, until only the first n changes are left.
func (l *changeLog) rewind(n int) {
	for i := len(l.undo) - 1; i >= n; i-- {
		l.undo[i]()
	}
	l.undo = l.undo[:n]
}
