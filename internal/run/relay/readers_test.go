package relay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/log/export"
	"acpshim/internal/log/stats"
	"acpshim/internal/log/view"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
	"acpshim/internal/run/transcript"

	"golang.org/x/tools/txtar"
)

// A taped is an Interceptor whose lines are recorded.
type taped struct {
	wire.Interceptor
	tap *record.Tap
}

func (i taped) Inspect(line []byte, whole bool) wire.Verdict {
	v := i.Interceptor.Inspect(line, whole)
	if whole && v == wire.Pass {
		i.tap.Rewritten(line, line, wire.Change{})
	}
	return v
}

func (i taped) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	out, by = i.Interceptor.Rewrite(dst, line)
	i.tap.Rewritten(line, out[len(dst):], by)
	return out, by
}

func (i taped) Flush(dst []byte, end bool) (out []byte, by wire.Change) {
	out, by = i.Interceptor.Flush(dst, end)
	return out, i.made(out[len(dst):], by)
}

func (i taped) Drain(dst []byte) (out []byte, by wire.Change) {
	out, by = i.Interceptor.Drain(dst)
	return out, i.made(out[len(dst):], by)
}

func (i taped) made(out []byte, by wire.Change) wire.Change {
	if len(out) > 0 {
		i.tap.Rewritten(nil, out, by)
	}
	return by
}

// recorded plays a transcript and returns its record.
func recorded(t *testing.T, path string) (text []byte) {
	a, c := readTranscript(t, path)
	dir := filepath.Join(t.TempDir(), "records")
	r, err := record.New(record.Options{Dir: dir, Argv: []string{"agent"}})
	if err != nil {
		t.Fatal(err)
	}
	chain := watched(t, c, map[string]bool{})
	chain.FromClient, chain.FromAgent = taped{chain.FromClient, r.Tap(record.Client)}, taped{chain.FromAgent, r.Tap(record.Agent)}
	if _, err := transcript.Play(a, chain); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(record.Outcome{}); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(filepath.Join(dir, r.Name())); err != nil {
		t.Fatal(err)
	}
	return text
}

// reworded returns a record with other reasons, and how many it has changed.
func reworded(t *testing.T, text []byte) (out []byte, n int) {
	for line := range bytes.Lines(text) {
		e, err := wire.Parse(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil {
			t.Fatal(err)
		}
		why := e.Raw("why")
		changed := wire.MapElements(why, func([]byte) []byte {
			n++
			return fmt.Appendf(nil, `"reason %d."`, n)
		})
		if changed != nil {
			line = append(wire.Splice(nil, bytes.TrimSuffix(line, []byte("\n")), e.Set(wire.Setting{Name: "why", Value: changed})...), '\n')
		}
		out = append(out, line...)
	}
	return out, n
}

// said is what the readers say of a record.
func said(t *testing.T, text []byte) string {
	h, err := history.Read(record.NewReader(bytes.NewReader(text)))
	if err != nil || h.Broken > 0 {
		t.Fatalf("%v, %d broken lines", err, h.Broken)
	}
	a, omitted := export.Txtar(h)
	s := view.Summarize(h, false)
	s.Changes = nil // they are grouped by reason
	for i := range s.Plans {
		s.Plans[i].Why = "" // it is shown as it is
	}
	var fates []string
	for _, m := range h.Messages {
		fates = append(fates, fmt.Sprint(m.Seq, m.Fate(), m.Later != nil, m.Arrived != nil, m.For != nil, m.Request != nil, m.Got != nil, m.Ending() != nil, m.ShowsPlans()))
	}
	said, err := json.Marshal([]any{s, stats.Of(h), omitted, fates})
	if err != nil {
		t.Fatal(err)
	}
	return string(said) + string(txtar.Format(a))
}

// Whatever the reasons in a record are in English, readers say the same of it: they read the codes.
func TestReadersDoNotReadEnglish(t *testing.T) {
	paths, _ := filepath.Glob("../../../testdata/transcripts/*.txtar")
	count := 0
	for _, path := range paths {
		text := recorded(t, path)
		other, n := reworded(t, text)
		count += n
		before, after := said(t, text), said(t, other)
		if before != after {
			at := 0
			for at < min(len(before), len(after)) && before[at] == after[at] {
				at++
			}
			t.Errorf("%s: the readers say something else:\n%.200s\n%.200s", filepath.Base(path), before[at:], after[at:])
		}
	}
	if count < 500 {
		t.Errorf("only %d reasons were changed", count)
	}
}
