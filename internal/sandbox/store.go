package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// store stores the organization in a file: one bucket for each table, the id as key, the row as JSON. The changes of one
// request are one transaction of the file, on disk before the request is answered.
type store struct {
	path string
	db   *bolt.DB
	read int // the newest transaction that is in memory
}

// managedBucket has the number of managed objects as its sequence. It holds no rows.
var managedBucket = []byte("managed")

// openStore opens or creates the file. It waits briefly for another process that has it open, and then fails.
func openStore(path string) (*store, error) {
	s := &store{path: path}
	if err := s.open(2 * time.Second); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *store) open(timeout time.Duration) error {
	db, err := bolt.Open(s.path, 0o600, &bolt.Options{Timeout: timeout})
	if err != nil {
		return err
	}
	s.db = db
	return nil
}

// isCurrent reports whether memory has the whole content of the file.
func (s *store) isCurrent() bool {
	var newest int
	err := s.db.View(func(tx *bolt.Tx) error {
		newest = tx.ID()
		return nil
	})
	return err == nil && newest == s.read
}

// update changes the file in one transaction.
func (s *store) update(change func(tx *bolt.Tx) error) error {
	return s.db.Update(func(tx *bolt.Tx) error {
		id := tx.ID()
		tx.OnCommit(func() { s.read = id })
		return change(tx)
	})
}

func (s *store) countManaged(change int) error {
	return s.update(func(tx *bolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(managedBucket)
		if err != nil {
			return err
		}
		return bucket.SetSequence(uint64(max(0, int(bucket.Sequence())+change)))
	})
}

// removeUnmanaged removes the organization if objects were managed in it, and none remain.
func (s *store) removeUnmanaged() error {
	return s.db.Update(func(tx *bolt.Tx) error {
		if managed := tx.Bucket(managedBucket); managed == nil || managed.Sequence() > 0 {
			return nil
		}
		var tables [][]byte
		err := tx.ForEach(func(table []byte, _ *bolt.Bucket) error {
			tables = append(tables, bytes.Clone(table))
			return nil
		})
		for _, table := range tables {
			err = errors.Join(err, tx.DeleteBucket(table))
		}
		return err
	})
}

func (s *store) load(o *rules.Organization) error {
	return s.db.View(func(tx *bolt.Tx) error {
		s.read = tx.ID()
		return tx.ForEach(func(table []byte, bucket *bolt.Bucket) error {
			if bytes.Equal(table, managedBucket) {
				return nil
			}
			err := bucket.ForEach(func(key, row []byte) error {
				id := int(binary.BigEndian.Uint64(key))
				return o.Load(rules.Change{Table: string(table), ID: id, Row: row})
			})
			if err != nil {
				return err
			}
			return o.LoadSequence(rules.Sequence{Table: string(table), Next: int(bucket.Sequence())})
		})
	})
}

func (s *store) write(changes []rules.Change, sequences []rules.Sequence) error {
	if len(changes) == 0 && len(sequences) == 0 {
		return nil
	}
	return s.update(func(tx *bolt.Tx) error {
		for _, c := range changes {
			bucket, err := tx.CreateBucketIfNotExists([]byte(c.Table))
			if err != nil {
				return err
			}
			key := binary.BigEndian.AppendUint64(nil, uint64(c.ID))
			if c.Row == nil {
				err = bucket.Delete(key)
			} else {
				err = bucket.Put(key, c.Row)
			}
			if err != nil {
				return err
			}
		}
		for _, sequence := range sequences {
			bucket, err := tx.CreateBucketIfNotExists([]byte(sequence.Table))
			if err != nil {
				return err
			}
			if err := bucket.SetSequence(uint64(sequence.Next)); err != nil {
				return err
			}
		}
		return nil
	})
}

// close closes the file; closing no store, or twice, is fine.
func (s *store) close() error {
	if s == nil || s.db == nil {
		return nil
	}
	if err := s.db.Close(); err != nil && !errors.Is(err, boltErrors.ErrDatabaseNotOpen) {
		return err
	}
	return nil
}
