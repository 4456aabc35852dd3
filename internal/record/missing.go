package record

// Missing says what is missing in a record, as far as a [Reader] can know. A complete record has
// the zero value with Ended.
type Missing struct {
	Before  uint64 `json:"before"`  // records before the first one, whose parts were removed
	Gaps    int    `json:"gaps"`    // records of a Gap
	Lines   int    `json:"lines"`   // in the gaps
	Bytes   int64  `json:"bytes"`   // in the gaps
	Entries uint64 `json:"entries"` // other records whose numbers are missing
	Broken  int    `json:"broken"`  // see Reader.Broken
	Ended   bool   `json:"ended"`   // there is an End; otherwise lines of the last moment may be missing
}

// Missing returns what is missing in what was read so far.
func (r *Reader) Missing() Missing {
	m := r.missing
	m.Broken = r.Broken
	return m
}

// follow counts what is missing between the last record and this one.
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
	skipped -= min(skipped, uint64(r.Broken-r.broken)) // they have these numbers
	if rec.Gap != nil && rec.Gap.Stream == "all" {
		skipped = 0 // the gap counts them
	}
	if r.seq == 0 {
		r.missing.Before = skipped
	} else {
		r.missing.Entries += skipped
	}
	r.seq, r.broken = rec.Seq, r.Broken
}
