package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"acpshim/internal/history"
	"acpshim/internal/history/query"
	"acpshim/internal/history/view"
	"acpshim/internal/record"

	"github.com/spf13/cobra"
)

func newLogTail() *cobra.Command {
	var f finder
	var follow bool
	c := &cobra.Command{
		Use: "tail [-f] [RECORD] [FILTER...]",
		Long: `Show the last 20 rows of a record as "acpshim log show" does, and with -f those to
come, until the run ends. A text is looked for in each piece alone: others are yet to come.

` + filterHelp,
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on while the record grows")
	takeFilter(c, &f, func(name string, q query.Query) error {
		parts, err := f.find(name)
		if err != nil {
			return err
		}
		out := newOutput(false)
		return out.Close(tail(out, parts[0], follow, q))
	})
	return c
}

// lastRows is how many rows are shown of what is there.
const lastRows = 20

// tail shows the last rows of a record, which it reads whole but does not keep:
// only so it knows the requests of answers, and the numbers of sessions.
func tail(out *output, file string, follow bool, q query.Query) error {
	t := &tailing{out: out, rows: view.New()}
	source := &growing{path: file, follow: follow, idle: t.idle}
	defer source.Close()
	r := record.NewReader(source)
	defer func() {
		lacks := r.Missing()
		lacks.Ended = true // it may still be to come
		tellNewer(r.Schema)
		tellMissing(lacks, false)
	}()
	var book history.Conversation
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF), rec.End != nil:
			err := t.idle()
			if !t.found {
				noteNothing(q)
			}
			if follow && rec.End == nil {
				note(cutOff)
			}
			return err
		case err != nil:
			return failed(err)
		case rec.Start != nil:
			continue
		}
		for _, m := range book.Add(rec) {
			if !q.Match(m) {
				t.rows.Skip(m)
				continue
			}
			if err := t.add(t.rows.Message(m)); err != nil {
				return err
			}
		}
		if rec.Message == nil && q.MatchOther(rec) {
			if err := t.add(t.rows.Other(rec)); err != nil {
				return err
			}
		}
	}
}

// tailing holds back all rows but the last ones until the end was reached once.
type tailing struct {
	out   *output
	rows  *view.View
	last  []view.Row
	live  bool
	found bool // a row
}

func (t *tailing) add(rows []view.Row) error {
	t.found = t.found || len(rows) > 0
	t.last = append(t.last, rows...)
	if !t.live {
		t.last = slices.Delete(t.last, 0, max(len(t.last)-lastRows, 0))
		return nil
	}
	for _, row := range t.last {
		if _, err := t.out.WriteString(view.Draw(t.out.style, row)); err != nil {
			return err
		}
	}
	t.last = t.last[:0]
	return nil
}

// idle shows what there is, for nothing more has come yet.
func (t *tailing) idle() error {
	if err := t.add(t.rows.Flush()); err != nil {
		return err
	}
	t.live = true
	if err := t.add(nil); err != nil {
		return err
	}
	return t.out.Flush()
}

// growing reads the files of a record one after the other, also those that are yet
// to come, and waits at the end of the last one.
type growing struct {
	path   string // of a part
	follow bool
	idle   func() error // called before each wait
	file   *os.File     // the part at is
	at     string
	final  bool // the next part is there, so this one is complete
	left   bool // nobody wrote the part when it was looked at last
	last   byte
}

// poll is how often a file is looked at for more.
const poll = 100 * time.Millisecond

func (g *growing) Read(p []byte) (int, error) {
	for {
		if g.file != nil {
			n, err := g.file.Read(p)
			if n > 0 {
				g.last = p[n-1]
				return n, nil
			}
			if !errors.Is(err, io.EOF) {
				return 0, err
			}
		}
		next := g.next()
		switch {
		case next != "" && g.file != nil && !g.final:
			g.final = true // there may be more than was read when it was not
		case next != "":
			g.Close()
			f, err := os.Open(next)
			if err != nil {
				return 0, err
			}
			g.file, g.at, g.final = f, next, false
			if g.last != 0 && g.last != '\n' { // the part was cut off
				g.last, p[0] = '\n', '\n'
				return 1, nil
			}
		case !g.follow:
			return 0, io.EOF
		default:
			if err := g.idle(); err != nil {
				return 0, err
			}
			isLeft := g.isLeft()
			if g.left && isLeft {
				return 0, io.EOF
			}
			g.left = isLeft // for so short a time it is also between two parts
			time.Sleep(poll)
		}
	}
}

// isLeft reports whether the part is still there, and no run writes it.
func (g *growing) isLeft() bool {
	_, err := os.Stat(g.at)
	return err == nil && !record.IsWritten(g.at)
}

// next is the part behind the one that is read, or "".
func (g *growing) next() string {
	parts, err := record.Parts(g.path)
	if err != nil || len(parts) == 0 {
		parts = []string{g.path} // of another name
	}
	if i := slices.Index(parts, g.at) + 1; i < len(parts) { // older parts than one that is gone are, too
		return parts[i]
	}
	return ""
}

func (g *growing) Close() error {
	if g.file == nil {
		return nil
	}
	return g.file.Close()
}
