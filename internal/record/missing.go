package record

// Missing is what a Reader found not to be in a record. Its zero value with Ended is
// that of a record that is whole.
type Missing struct {
	Before  uint64 `json:"before"`  // entries in front of the first one: the parts with them are gone
	Gaps    int    `json:"gaps"`    // entries that are a Gap
	Lines   int    `json:"lines"`   // in these
	Bytes   int64  `json:"bytes"`   // in these
	Entries uint64 `json:"entries"` // others that are not there by their numbers, and that no gap explains
	Broken  int    `json:"broken"`  // see Reader.Broken
	Ended   bool   `json:"ended"`   // it has an End; else the lines of its last moment may be missing
}

// Missing is what is missing of what was read so far.
func (r *Reader) Missing() Missing {
	m := r.missing
	m.Broken = r.Broken
	return m
}

// follow notes whether a record is the one behind that before it.
func (r *Reader) follow(rec Record) {
	switch {
	case rec.Start != nil:
		r.Schema = max(r.Schema, rec.Start.Schema)
	case rec.Gap != nil:
		r.missing.Gaps++
		r.missing.Lines += max(rec.Gap.Count, 0)
		r.missing.Bytes += max(rec.Gap.Bytes, 0)
	case rec.End != nil:
		r.missing.Ended = true
	}
	if rec.Seq <= r.seq {
		return
	}
	skipped := rec.Seq - r.seq - 1
	skipped -= min(skipped, uint64(r.Broken-r.broken)) // each was one
	if rec.Gap != nil && rec.Gap.Stream == "all" {
		skipped = 0 // it stands for them
	}
	if r.seq == 0 {
		r.missing.Before = skipped
	} else {
		r.missing.Entries += skipped
	}
	r.seq, r.broken = rec.Seq, r.Broken
}
