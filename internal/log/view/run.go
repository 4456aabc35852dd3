package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/record/store"
)

// A Run is a record as a list of runs shows it.
type Run struct {
	Record   string    `json:"record"`
	Files    []string  `json:"files"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"` // until its last entry, or until now if it goes on
	Agent    string    `json:"agent"`
	Client   string    `json:"client"`
	Messages int       `json:"messages"` // that the peers sent; a batch is one
	State    string    `json:"state"`    // ended, running, cut off
	Status   *int      `json:"status"`
	Signal   string    `json:"signal,omitempty"`
	Wrong    string    `json:"wrong"` // what went wrong, as Verdict.Short has it; "-" for nothing, "?" if it is not known
	Bytes    int64     `json:"bytes"`
	Before   uint64    `json:"before"` // entries that are gone with the files they were in
	Lost     int       `json:"lost"`   // lines in gaps, if it has ended
	Gone     int       `json:"gone"`   // files between others
	Short    string    `json:"-"`      // its name in a list for people
}

// ReadRun reads a Run from the names of its files, the beginning of the first one and the end of
// the last one. It does not look for what is missing between these, or what went wrong there.
func ReadRun(files []string) (Run, error) {
	r := Run{Record: store.Name(files), Files: files, Begun: store.Begun(files[0]), State: "cut off"}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return r, err
		}
		r.Bytes += info.Size()
	}
	err := r.readBegin(files[0])
	for i := 1; i < len(files) && err == nil; i++ {
		// If a file was removed while it was written, the next one begins with a gap.
		if skipped := store.Number(files[i]) - store.Number(files[i-1]) - 1; skipped > 0 {
			var next Run
			if err = next.readBegin(files[i]); next.Before > 0 {
				r.Gone += skipped
			}
		}
	}
	if err != nil {
		return r, err
	}
	last, err := lastEntry(files[len(files)-1])
	if err != nil {
		return r, err
	}
	r.Seconds = last.Mono.Seconds()
	isLive := last.End == nil && store.IsWritten(files...)
	if r.Wrong, err = r.wrong(last, isLive); err != nil {
		return r, err
	}
	if end := last.End; end != nil {
		r.State, r.Status, r.Signal, r.Lost = "ended", &end.Status, end.Signal, end.Lost.Lines
		r.Messages = max(end.Client.Lines+end.Agent.Lines, 0)
		return r, nil
	}
	if isLive {
		r.State = "running"
		r.Tick()
	}
	r.Messages, err = countMessages(files)
	return r, err
}

// IsWrong reports whether it is known that something went wrong.
func (r Run) IsWrong() bool { return r.Wrong != "" && r.Wrong != "-" && r.Wrong != "?" }

// Tick lets the time of a run that goes on last until now.
func (r *Run) Tick() {
	if r.State == "running" {
		r.Seconds = time.Since(r.Begun).Seconds()
	}
}

// How much is read for the names of the peers.
const (
	handshakeMessages = 50
	handshakeBytes    = 64 << 10
	handshakeEnd      = 8 << 20 // of the file, whatever its lines are
)

// readBegin reads from the beginning of a file the names of the peers, and the number of entries
// that are missing before it.
func (r *Run) readBegin(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	reader := record.NewReader(io.LimitReader(f, handshakeEnd))
	var conversation history.Conversation
	for messages, size := 0, 0; messages < handshakeMessages && size < handshakeBytes; {
		rec, err := reader.Next()
		if err != nil {
			break
		}
		size += len(reader.Line())
		if rec.Start != nil && r.Agent == "" {
			r.Begun = rec.Time
			if len(rec.Start.Argv) > 0 {
				r.Agent = filepath.Base(rec.Start.Argv[0])
			}
		}
		for _, m := range conversation.Add(rec) {
			messages++
			if peer, _ := readPeer(m); peer != nil {
				name := strings.TrimSpace(peer.Name + " " + peer.Implementation.Version)
				if m.Kind == history.Request {
					r.Client = cmp.Or(r.Client, name)
				} else {
					r.Agent = cmp.Or(name, r.Agent)
					messages = handshakeMessages
				}
			}
		}
	}
	r.Before = reader.Missing().Before
	return nil
}

// wrongWindow is how much of the end of a record is read to find what went wrong, in bytes.
const wrongWindow = 64 << 10

// wrong describes what went wrong, as far as the end of the last file says it.
func (r Run) wrong(last record.Record, isLive bool) (string, error) {
	f, err := os.Open(r.Files[len(r.Files)-1])
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	isWhole := len(r.Files) == 1 && r.Before == 0 && info.Size() <= wrongWindow
	from := max(info.Size()-wrongWindow, 0)
	var j Judge
	var c history.Conversation
	j.isPart = !isWhole
	for reader := record.NewReader(io.NewSectionReader(f, from, wrongWindow)); ; {
		rec, err := reader.Next()
		if isWhole {
			j.Miss(reader.Missing())
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", err
		}
		for _, m := range c.Add(rec) {
			j.Add(m)
		}
	}
	v := j.End(last.End, last.Mono)
	if isLive {
		v = j.Live(time.Now())
	}
	switch {
	case isWhole:
		return v.Short, nil
	case v.Short == "-":
		return "?", nil
	}
	if v.problems > 0 {
		return fmt.Sprintf("%d+ problems", v.problems), nil
	}
	return v.Short, nil
}

// lastWindow is how much of the end of a file is searched for an entry, in bytes.
const lastWindow = 16 << 20

// lastEntry returns the last entry of a file. It reads more of the end until it finds one, or has
// read as much as a line may take.
func lastEntry(file string) (last record.Record, err error) {
	f, err := os.Open(file)
	if err != nil {
		return last, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return last, err
	}
	for window := int64(4 << 10); ; window *= 8 {
		r := record.NewReader(io.NewSectionReader(f, max(info.Size()-window, 0), window)) // the first line may not be whole
		rec, err := r.Next()
		for ; err == nil; rec, err = r.Next() {
			if rec.Start == nil {
				last = rec
			}
		}
		switch {
		case !errors.Is(err, io.EOF):
			return last, err
		case last.Kind != "", window >= min(info.Size(), lastWindow):
			return last, nil
		}
	}
}

// countMessages counts the messages that peers sent in a record that does not have the number. It
// reads only the beginning of each line, which is always the same.
func countMessages(files []string) (n int, err error) {
	from, err := store.Open(files...)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	text := record.NewHeadReader(from)
	for {
		line, err := text.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, fmt.Errorf("%s: %w", store.Name(files), err)
		}
		head, _, _ := bytes.Cut(line, []byte(`,"len":`)) // peers wrote what is after it
		isMade := bytes.Contains(head, []byte(`,"stage":"out",`))
		if bytes.HasPrefix(line, []byte(`{"kind":"message",`)) && !isMade {
			n++
		}
	}
}
