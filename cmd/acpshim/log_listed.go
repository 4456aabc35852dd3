package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/record"
	"acpshim/internal/wire"
)

// A listed is what a list says of a record.
type listed struct {
	Record   string    `json:"record"`
	Files    []string  `json:"files"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Agent    string    `json:"agent"`
	Client   string    `json:"client"`
	Messages uint64    `json:"messages"`
	State    string    `json:"state"` // ended, running, cut off
	Status   *int      `json:"status"`
	Signal   string    `json:"signal,omitempty"`
	Bytes    int64     `json:"bytes"`
	Before   uint64    `json:"before"` // entries that are gone with the files they were in
	Lost     int       `json:"lost"`   // lines in gaps, if it has ended
	Gone     int       `json:"gone"`   // files between others
}

// look reads what a list says from the names of a record's files, the beginning of the
// first and the end of the last: what is missing in between is not looked for.
func look(parts []string) (listed, error) {
	l := listed{Record: strings.TrimSuffix(filepath.Base(parts[0]), ".jsonl"), Files: parts, Begun: record.Begun(parts[0]), State: "cut off"}
	for _, part := range parts {
		info, err := os.Stat(part)
		if err != nil {
			return l, err
		}
		l.Bytes += info.Size()
	}
	head, err := beginningOf(parts[0])
	if err != nil {
		return l, err
	}
	l.Before = before(head)
	l.handshake(head)
	if err := l.count(parts); err != nil {
		return l, err
	}
	last, err := lastRecord(parts[len(parts)-1])
	if err != nil {
		return l, err
	}
	l.Seconds = last.Mono.Seconds()
	l.Messages = last.Seq
	switch {
	case last.End != nil:
		l.State, l.Status, l.Signal, l.Lost = "ended", &last.End.Status, last.End.Signal, last.End.Lost.Lines
		l.Messages = uint64(max(last.End.Client.Lines+last.End.Agent.Lines, 0))
	case record.IsWritten(parts[len(parts)-1]):
		l.State = "running"
	}
	return l, nil
}

// count counts the files that are gone between others. Of one that was removed while it
// was written, the next one tells.
func (l *listed) count(parts []string) error {
	for i, part := range parts[1:] {
		gone := record.Number(part) - record.Number(parts[i]) - 1
		if gone <= 0 {
			continue
		}
		head, err := beginningOf(part)
		if err != nil {
			return err
		}
		if before(head) > 0 {
			l.Gone += gone
		}
	}
	return nil
}

// beginningOf reads as much of a file as is looked at for who speaks, and for what is
// missing in front of it.
func beginningOf(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 64<<10))
}

var numbered = regexp.MustCompile(`^\{"kind":"[a-z]+","seq":(\d+),`)

// before tells how many entries are not there in front of the first one, which may be
// longer than head.
func before(head []byte) uint64 {
	r := record.NewReader(bytes.NewReader(head))
	for {
		rec, err := r.Next()
		switch {
		case err == nil && rec.Seq > 0:
			return r.Missing().Before
		case err == nil:
			continue
		}
		if m := numbered.FindSubmatch(r.Line()); m != nil {
			seq, _ := strconv.ParseUint(string(m[1]), 10, 64)
			return max(seq, 1) - 1
		}
		return 0
	}
}

// handshakeMessages is how many messages are looked at for the names of the peers.
const handshakeMessages = 50

// handshake reads who spoke with whom.
func (l *listed) handshake(head []byte) {
	r := record.NewReader(bytes.NewReader(head))
	var book history.Conversation
	for messages := 0; messages < handshakeMessages; {
		rec, err := r.Next()
		if err != nil {
			return // what is not there is not told
		}
		if rec.Start != nil && l.Agent == "" {
			l.Begun = rec.Time
			if len(rec.Start.Argv) > 0 {
				l.Agent = filepath.Base(rec.Start.Argv[0])
			}
		}
		for _, m := range book.Add(rec) {
			messages++
			if m.Method != "initialize" {
				continue
			}
			if m.Kind == history.Request && l.Client == "" {
				l.Client = implementation(m.JSON, "params", "clientInfo")
			}
			if m.Kind == history.Response {
				if name := implementation(m.JSON, "result", "agentInfo"); name != "" {
					l.Agent = name
				}
				return
			}
		}
	}
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

// lastRecord returns the last record of a file, of which it reads more until it
// finds one.
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
		from := max(info.Size()-window, 0)
		tail, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
		if err != nil {
			return last, err
		}
		if from > 0 { // the first line is not whole, or is read with more
			tail = tail[bytes.IndexByte(tail, '\n')+1:]
		}
		for end := bytes.LastIndexByte(tail, '\n'); end >= 0; {
			begin := bytes.LastIndexByte(tail[:end], '\n') + 1
			rec, err := record.NewReader(bytes.NewReader(tail[begin : end+1])).Next()
			if err == nil && rec.Start == nil {
				return rec, nil
			}
			end = begin - 1
		}
		if from == 0 {
			return last, nil
		}
	}
}
