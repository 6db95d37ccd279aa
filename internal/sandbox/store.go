package sandbox

import (
	"encoding/binary"
	"errors"
	"time"

	bolt "go.etcd.io/bbolt"
	boltErrors "go.etcd.io/bbolt/errors"

	"github.com/zulip-iac/terraform-provider-zulip/internal/sandbox/rules"
)

// store keeps the organization in a file: one bucket for each table, the id as
// key, the row as JSON. What one request changed is one transaction of the
// file, on disk before the request is answered.
type store struct {
	db *bolt.DB
}

// openStore opens or makes the file. It waits briefly for another process that
// has it open, and then fails.
func openStore(path string) (*store, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: 2 * time.Second})
	if err != nil {
		return nil, err
	}
	return &store{db}, nil
}

func (s *store) load(o *rules.Organization) error {
	return s.db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(table []byte, bucket *bolt.Bucket) error {
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
	return s.db.Update(func(tx *bolt.Tx) error {
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
	if s == nil {
		return nil
	}
	if err := s.db.Close(); err != nil && !errors.Is(err, boltErrors.ErrDatabaseNotOpen) {
		return err
	}
	return nil
}
