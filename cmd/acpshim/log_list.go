package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acpshim/history"
	"acpshim/history/view"
	"acpshim/record"
	"acpshim/wire"

	"github.com/spf13/cobra"
)

func newLogList() *cobra.Command {
	var f finder
	var asJSON bool
	c := &cobra.Command{
		Use:                   "list [--json]",
		DisableFlagsInUseLine: true,
		Long:                  "List the records, the newest last: the beginning of its name, when it began and how\nlong it went on, agent, client, lines, how it ended\nand what it lacks, and its size.",
		Args:                  noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := f.records()
			if err != nil {
				return failed(err)
			}
			out := newOutput(false)
			return out.Close(list(out, all, asJSON))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print an object a line")
	addHelp(c)
	f.addLayers(c)
	return c
}

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
}

func list(out *output, records [][]string, asJSON bool) error {
	var rows [][]string
	encoder := json.NewEncoder(out)
	for i, parts := range records {
		l, err := look(parts)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "acpshim: %v\n", err)
			continue
		}
		if asJSON {
			if err := encoder.Encode(l); err != nil {
				return err
			}
			continue
		}
		how := l.State
		if l.Status != nil {
			how = strings.TrimSpace(fmt.Sprintf("exit %d %s", *l.Status, view.Plain(l.Signal, 20)))
		}
		if l.Before > 0 {
			how += ", beginning gone"
		}
		if l.Lost > 0 {
			how += ", " + counted(l.Lost, "line", "lines") + " missing"
		}
		rows = append(rows, []string{
			shortName(records, i), l.Begun.Local().Format(time.DateTime), (time.Duration(l.Seconds*1000) * time.Millisecond).Round(100 * time.Millisecond).String(),
			view.Plain(l.Agent, 28), view.Plain(l.Client, 28), fmt.Sprint(l.Messages), how, view.Size(l.Bytes),
		})
	}
	if len(rows) == 0 && !asJSON {
		fmt.Fprintln(os.Stderr, "acpshim: there are no records: run an agent with --record")
	}
	return columns(out, []string{"RECORD", "BEGUN", "TIME", "AGENT", "CLIENT", "LINES", "END", "SIZE"}, rows)
}

// shortName is the shortest beginning of a record's name that ends before a dot or
// dash and is that of no other, all being in order.
func shortName(all [][]string, i int) string {
	name := strings.TrimSuffix(filepath.Base(all[i][0]), ".jsonl")
	for at, c := range name {
		if c != '.' && c != '-' {
			continue
		}
		begins := func(j int) bool {
			return j >= 0 && j < len(all) && strings.HasPrefix(filepath.Base(all[j][0]), name[:at])
		}
		if !begins(i-1) && !begins(i+1) {
			return name[:at]
		}
	}
	return name
}

// columns writes rows below their heads, numbers to the right.
func columns(w io.Writer, heads []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	rows = append([][]string{heads}, rows...)
	widths := make([]int, len(heads))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-len([]rune(cell)))
			switch heads[i] {
			case "TIME", "LINES", "SIZE", "SHARE", "AT", "ANSWERED", "FAILED", "P50", "P95", "P99", "MAX", "FIRST TOKEN", "TO END", "CAME", "WENT ON", "HITS":
				b.WriteString(pad + cell + "  ")
			default:
				b.WriteString(cell + pad + "  ")
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// look reads what a list says from the beginning and the end of a record.
func look(parts []string) (listed, error) {
	l := listed{Record: strings.TrimSuffix(filepath.Base(parts[0]), ".jsonl"), Files: parts, Begun: record.Begun(parts[0]), State: "cut off"}
	for _, part := range parts {
		info, err := os.Stat(part)
		if err != nil {
			return l, err
		}
		l.Bytes += info.Size()
	}
	if err := l.handshake(parts[0]); err != nil {
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

// handshakeSize is how much of a record is looked at for the names of its peers.
const handshakeSize = 256 << 10

// handshake reads who spoke with whom.
func (l *listed) handshake(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r := record.NewReader(io.LimitReader(f, handshakeSize))
	defer func() { l.Before = r.Missing().Before }()
	var book history.Book
	for {
		rec, err := r.Next()
		if err != nil {
			return nil // what is not there is not told
		}
		if rec.Start != nil && l.Agent == "" {
			l.Begun = rec.Time
			if len(rec.Start.Argv) > 0 {
				l.Agent = filepath.Base(rec.Start.Argv[0])
			}
		}
		for _, m := range book.Add(rec) {
			if m.Method != "initialize" {
				continue
			}
			if m.Kind == history.Request && l.Client == "" {
				l.Client = implementation(m.JSON, "params", "clientInfo")
			}
			if m.Kind == history.Answer {
				if name := implementation(m.JSON, "result", "agentInfo"); name != "" {
					l.Agent = name
				}
				return nil
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
	for window := int64(64 << 10); ; window *= 8 {
		from := max(info.Size()-window, 0)
		r := record.NewReader(io.NewSectionReader(f, from, info.Size()-from))
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			if rec.Start == nil {
				last = rec
			}
		}
		if last.Kind != "" || from == 0 {
			return last, nil
		}
	}
}
