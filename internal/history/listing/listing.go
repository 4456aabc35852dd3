// Package listing says of records what a list of them does.
package listing

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/store"
	"acpshim/internal/wire"
)

// A Record is what a list says of one.
type Record struct {
	Record   string    `json:"record"`
	Files    []string  `json:"files"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Agent    string    `json:"agent"`
	Client   string    `json:"client"`
	Messages int       `json:"messages"` // those that the peers sent; a batch is one
	State    string    `json:"state"`    // ended, running, cut off
	Status   *int      `json:"status"`
	Signal   string    `json:"signal,omitempty"`
	Bytes    int64     `json:"bytes"`
	Before   uint64    `json:"before"` // entries that are gone with the files they were in
	Lost     int       `json:"lost"`   // lines in gaps, if it has ended
	Gone     int       `json:"gone"`   // files between others
	Short    string    `json:"-"`      // what a list for people calls it
}

// Look reads what a list says of the record with these files from their names, the beginning of
// the first one and the end of the last one. What is missing in between is not looked for.
func Look(files []string) (Record, error) {
	l := Record{Record: store.Name(files), Files: files, Begun: store.Begun(files[0]), State: "cut off"}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return l, err
		}
		l.Bytes += info.Size()
	}
	if err := l.begin(files[0]); err != nil {
		return l, err
	}
	if err := l.findGone(files); err != nil {
		return l, err
	}
	last, err := lastRecord(files[len(files)-1])
	if err != nil {
		return l, err
	}
	l.Seconds = last.Mono.Seconds()
	if last.End != nil {
		l.State, l.Status, l.Signal, l.Lost = "ended", &last.End.Status, last.End.Signal, last.End.Lost.Lines
		l.Messages = max(last.End.Client.Lines+last.End.Agent.Lines, 0)
		return l, nil
	}
	if store.IsWritten(files...) {
		l.State = "running"
	}
	l.Messages, err = messages(files)
	return l, err
}

// findGone counts the files that are gone between others. Of one that was removed while it was
// written, a gap at the beginning of the next one says it.
func (l *Record) findGone(files []string) error {
	for i, file := range files[1:] {
		skipped := store.Number(file) - store.Number(files[i]) - 1
		if skipped <= 0 {
			continue
		}
		var next Record
		if err := next.begin(file); err != nil {
			return err
		}
		if next.Before > 0 {
			l.Gone += skipped
		}
	}
	return nil
}

// How much is looked at for the names of the peers.
const (
	handshakeMessages = 50
	handshakeBytes    = 64 << 10
	handshakeEnd      = 8 << 20 // of the file, whatever its lines are
)

// begin reads from the beginning of a file who spoke with whom, and how many entries are missing in
// front of it. What is not there is not listed.
func (l *Record) begin(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := record.NewReader(io.LimitReader(f, handshakeEnd))
	var book history.Conversation
	for messages, bytes := 0, 0; messages < handshakeMessages && bytes < handshakeBytes; {
		rec, err := r.Next()
		if err != nil {
			break
		}
		bytes += len(r.Line())
		if rec.Start != nil && l.Agent == "" {
			l.Begun = rec.Time
			if len(rec.Start.Argv) > 0 {
				l.Agent = filepath.Base(rec.Start.Argv[0])
			}
		}
		for _, m := range book.Add(rec) {
			messages++
			if l.initialize(m) {
				messages = handshakeMessages
			}
		}
	}
	l.Before = r.Missing().Before
	return nil
}

// initialize takes the names of the peers, and reports whether there are no more to come.
func (l *Record) initialize(m *history.Message) (done bool) {
	switch {
	case m.Method != "initialize":
	case m.Kind == history.Request:
		l.Client = cmp.Or(l.Client, implementation(m.JSON, "params", "clientInfo"))
	case m.Kind == history.Response && !m.Failed:
		l.Agent = cmp.Or(implementation(m.JSON, "result", "agentInfo"), l.Agent)
		return true
	}
	return false
}

func implementation(line []byte, in, info string) string {
	msg, err := wire.Parse(line, in, in+"."+info)
	if err != nil {
		return ""
	}
	name, _ := msg.Open(in).Open(info).Text("name")
	version, _ := msg.Open(in).Open(info).Text("version")
	return strings.TrimSpace(name + " " + version)
}

// lastWindow is how much of the end of a file is looked at for a record, in bytes.
const lastWindow = 16 << 20

// lastRecord returns the last record of a file, of which it reads more until it finds one, or has
// looked at as much as a line may take.
func lastRecord(file string) (last record.Record, err error) {
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
