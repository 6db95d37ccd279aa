package directory

import "time"

// Reads and writes of a run overlap. What a read brings is taken into the facts unless something that was read later is
// there already; what this run has written since the read began is put on top of it; and whoever asks next reads again,
// for the read may have missed more of what has changed meanwhile.

// mark is how a part stood when a read of it began.
type mark struct {
	began  time.Time
	forgot int // how often the part had been forgotten
	writes int // how many writes had been put into the facts
}

// mark returns how a part stands now. The caller holds the lock.
func (d *Directory) mark(part string) mark {
	return mark{time.Now(), d.forgot[part], len(d.written[part])}
}

// settle takes into the facts what a read of a part has brought that began at a mark. The caller holds the lock.
func (d *Directory) settle(facts *facts, part string, since mark, take put) {
	if d.lists.read[part].After(since.began) {
		return
	}
	take(facts)
	for _, write := range d.written[part][since.writes:] {
		write(facts)
	}
	d.have[part] = d.forgot[part] == since.forgot
	d.lists.read[part] = since.began
	d.reread[part]++
}

// putWritten puts what this run has written into the facts of a part, those to come of reads under way included. The
// caller holds the lock.
func (d *Directory) putWritten(part string, write put) {
	d.forgot[part]++
	d.written[part] = append(d.written[part], write)
	d.view = d.view.with(write)
}
