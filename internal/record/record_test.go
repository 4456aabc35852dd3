package record

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/system/process"
	"acpshim/proxy"

	"acpshim/internal/record/store"
)

var _ proxy.Tap = (*Tap)(nil)

// begin begins a record in a new folder. By default the test fails if Failed is called.
func begin(t testing.TB, o Options) *Recorder {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "records")
	}
	if o.Failed == nil {
		o.Failed = func(err error) { t.Errorf("recording failed: %v", err) }
	}
	o.Flush = cmp.Or(o.Flush, 20*time.Second)
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll closes the record and reads all its parts.
func readAll(t testing.TB, r *Recorder) []Record {
	t.Helper()
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	return readDir(t, r)
}

func readDir(t testing.TB, r *Recorder) []Record {
	t.Helper()
	paths, err := store.Parts(filepath.Join(r.opts.Dir, r.Name()))
	if err != nil {
		t.Fatal(err)
	}
	files, err := store.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	return drain(t, NewReader(files), 0)
}

func drain(t testing.TB, r *Reader, broken int) (all []Record) {
	t.Helper()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	if r.Broken != broken {
		t.Errorf("%d broken lines, want %d", r.Broken, broken)
	}
	return all
}

// of returns the records of one kind.
func of(all []Record, kind string) (found []Record) {
	for _, r := range all {
		if r.Kind == kind {
			found = append(found, r)
		}
	}
	return found
}

func TestRecordOfARun(t *testing.T) {
	o := Options{Acpshim: "v1.2.3", Cwd: "/work/ü", Config: "sha256:12", Argv: []string{"/opt/bin/codex-acp", "--flag", "a b\xff\""}}
	o.Dir = filepath.Join(t.TempDir(), "deep", "records")
	r := begin(t, o)
	client, agent := r.Tap(Client), r.Tap(Agent)
	client.Passed([]byte(`{"id":1,"met`))
	fmt.Fprintln(r.Events(), `{"level":"info","message":"negotiated"}`)
	client.Passed([]byte("hod\":\"initialize\"}\nhello\r\n"))
	agent.Rewritten([]byte("{\"a\":1}\n"), []byte("{\"b\":2}\n{\"c\":3}\n"), wire.Change{By: []wire.Cause{{Name: "plan"}, {Name: `rule "x"`}}})
	agent.Rewritten([]byte("{\"same\":1}\n"), []byte("{\"same\":1}\n"), wire.Change{})
	agent.Rewritten([]byte("{\"gone\":1}\n"), nil, wire.Change{By: []wire.Cause{{Name: "gate"}}})
	agent.Rewritten(nil, []byte("{\"made\":1}\n"), wire.Change{By: []wire.Cause{{Name: "answer"}}})
	fmt.Fprint(r.Events(), "not JSON\n")
	agent.Passed([]byte("{\"cut\":"))
	if err := r.Close(ended); err != nil {
		t.Fatal(err)
	}
	r.Close(Outcome{}) // again
	agent.Passed([]byte("too late\n"))

	var got []string
	var seq uint64
	var mono time.Duration
	all := readDir(t, r)
	for _, rec := range all {
		switch {
		case rec.Message != nil:
			m := rec.Message
			if int(m.Len) != len(m.Line) {
				t.Errorf("the length of %q is %d", m.Line, m.Len)
			}
			got = append(got, fmt.Sprintf("%s %q of %d %q %q", m.Dir, m.Stage, m.Of, m.By, m.Line))
		case rec.Text != nil:
			got = append(got, fmt.Sprintf("%s %q", rec.Kind, rec.Text.Bytes))
		}
		if rec.Start != nil {
			continue
		}
		if seq++; rec.Seq != seq {
			t.Errorf("record %d has the number %d", seq, rec.Seq)
		}
		if rec.Kind != "message" || rec.Message.Line[len(rec.Message.Line)-1] == '\n' {
			if rec.Mono < mono {
				t.Errorf("record %d is %v after the one before", seq, rec.Mono-mono)
			}
			mono = rec.Mono
		}
		if rec.Time.IsZero() || time.Since(rec.Time) > time.Minute {
			t.Errorf("record %d was made at %v", seq, rec.Time)
		}
	}
	want := []string{
		`event "{\"level\":\"info\",\"message\":\"negotiated\"}\n"`,
		`client "" of 0 [] "{\"id\":1,\"method\":\"initialize\"}\n"`,
		`client "" of 0 [] "hello\r\n"`,
		`agent "in" of 0 ["plan" "rule \"x\""] "{\"a\":1}\n"`,
		`agent "out" of 4 ["plan" "rule \"x\""] "{\"b\":2}\n"`,
		`agent "out" of 4 ["plan" "rule \"x\""] "{\"c\":3}\n"`,
		`agent "" of 0 [] "{\"same\":1}\n"`,
		`agent "in" of 0 ["gate"] "{\"gone\":1}\n"`,
		`agent "out" of 0 ["answer"] "{\"made\":1}\n"`,
		`event "not JSON\n"`,
		`agent "" of 0 [] "{\"cut\":"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.queue.begun == r.queue.begun.Round(0) {
		t.Error("mono is measured with a clock that may be set")
	}
	start := all[0].Start
	if start == nil || start.Schema != 1 || start.Part != 0 || start.Acpshim != "v1.2.3" || start.Cwd != "/work/ü" || start.Config != "sha256:12" ||
		!slices.Equal(start.Argv, []string{"/opt/bin/codex-acp", "--flag", "a b\ufffd\""}) || start.PID != os.Getpid() || start.Go == "" || start.Redacted {
		t.Errorf("the start is %+v", start)
	}
	end := all[len(all)-1].End
	if end == nil || !reflect.DeepEqual(*end, End{Outcome: ended, Client: Count{2, 31 + 7}, Agent: Count{4, 8 + 11 + 11 + 7}}) {
		t.Errorf("the end is %+v", end)
	}
}

var ended = Outcome{Status: 137, Signal: "killed", NotStarted: "why", Path: "/bin", Steps: []Step{{"signaled", "terminated", 12}, {"agent-exited", "", 13}}}

func TestFilesAreTheUsersOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	r := begin(t, Options{Dir: dir, Argv: []string{`../..\..//x/../...e/../-v$(il) agent!`}})
	other := begin(t, Options{Dir: dir})
	readAll(t, r)
	readAll(t, other)
	for path, want := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, filepath.Join(dir, r.Name()): 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if filepath.Base(r.Name()) != r.Name() || !strings.Contains(r.Name(), "Z-v_il_agent_-") && !strings.Contains(r.Name(), "Z-v_il_agent-") {
		t.Errorf("the name is %q", r.Name())
	}
}

// E6, T22: runs of one agent that begin in the same moment, also in one process, have different
// files.
func TestManyAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var all []*Recorder
		for i := range 20 {
			r := begin(t, Options{Dir: dir, Argv: []string{"agent"}})
			r.Tap(Agent).Passed(fmt.Appendf(nil, "%d\n", i))
			all = append(all, r)
		}
		names := map[string]bool{}
		for i, r := range all {
			names[r.Name()] = true
			if got := of(readAll(t, r), "message"); len(got) != 1 || string(got[0].Message.Line) != fmt.Sprintf("%d\n", i) {
				t.Errorf("record %d has %+v", i, got)
			}
		}
		if moment, _, _ := strings.Cut(all[0].Name(), "Z"); len(names) != len(all) || !strings.HasPrefix(all[19].Name(), moment) {
			t.Errorf("%d names: %v", len(names), names)
		}
	})
}

func TestPlantedThingsAreNotFollowed(t *testing.T) {
	base := t.TempDir()
	elsewhere := filepath.Join(base, "elsewhere")
	os.Mkdir(elsewhere, 0o700)
	link := filepath.Join(base, "link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(base, "file")
	os.WriteFile(file, nil, 0o600)
	loop := filepath.Join(base, "loop")
	os.Symlink(loop, loop)
	for _, dir := range []string{link, file, loop, filepath.Join(file, "below")} {
		if _, err := New(Options{Dir: dir, Required: true}); err == nil || !strings.Contains(err.Error(), base) {
			t.Errorf("a record in %s: %v", dir, err)
		}
		var failure error
		r, err := New(Options{Dir: dir, Failed: func(err error) { failure = err }})
		if err != nil || failure == nil {
			t.Errorf("a record in %s: %v, Failed got %v", dir, err, failure)
		}
		r.Tap(Agent).Passed([]byte("{}\n"))
		if err := r.Close(Outcome{}); err == nil {
			t.Error("closed without an error")
		}
	}
}

func TestLongLines(t *testing.T) {
	const most = 10_000
	for _, size := range []int{most - 1, most, most + 1, 300_000} {
		line := []byte(`"` + strings.Repeat("x", size-3) + "\"\n")
		for way, feed := range map[string]func(*Tap){
			"at once": func(tap *Tap) { tap.Passed(append(slices.Clone(line), "{}\n"...)) },
			"in pieces": func(tap *Tap) {
				for c := range slices.Chunk(line, 777) {
					tap.Passed(c)
				}
				tap.Passed([]byte("{}\n"))
			},
			"rewritten": func(tap *Tap) { tap.Rewritten(line, []byte("{}\n"), wire.Change{}) },
		} {
			r := begin(t, Options{MaxLine: most})
			feed(r.Tap(Agent))
			got := of(readAll(t, r), "message")
			if len(got) != 2 || string(got[1].Message.Line) != "{}\n" {
				t.Fatalf("%s, %d bytes: %d messages", way, size, len(got))
			}
			m := got[0].Message
			if m.Len != int64(size) {
				t.Errorf("%s: the length of %d is %d", way, size, m.Len)
			}
			if size <= most {
				if !bytes.Equal(m.Line, line) {
					t.Errorf("%s, %d bytes: another line came back", way, size)
				}
				continue
			}
			sum := sha256.Sum256(line)
			if m.Line != nil || !bytes.Equal(m.Head, line[:headSize]) || m.SHA256 != hex.EncodeToString(sum[:]) {
				t.Errorf("%s, %d bytes: %d bytes of head, hash %s", way, size, len(m.Head), m.SHA256)
			}
		}
	}
}

// A line of any length takes no more memory than the limits allow.
func TestEndlessLineIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	r := begin(t, Options{MaxLine: 64 << 10, Required: true})
	tap, chunk := r.Tap(Agent), bytes.Repeat([]byte("x"), 128<<10)
	for range 400 {
		tap.Passed(chunk)
	}
	tap.Passed([]byte("\n"))
	got := of(readAll(t, r), "message")
	if len(got) != 1 || got[0].Message.Len != 51_200<<10+1 || len(r.writer.buffers[streamAgent].bytes) > 0 {
		t.Errorf("%d messages", len(got))
	}
}

// stderrOf returns the standard error of an agent, which goes to the record and to a writer.
func stderrOf(t *testing.T, r *Recorder, to io.Writer) (agent *os.File, drain func(time.Duration)) {
	t.Helper()
	s, err := process.NewStderr(r.Stderr(), to)
	if err != nil {
		t.Fatal(err)
	}
	return s.File, s.Drain
}

func TestStderrOfAnAgent(t *testing.T) {
	r := begin(t, Options{})
	shownR, shown, _ := os.Pipe()
	agent, drain := stderrOf(t, r, shown)
	long := strings.Repeat("y", textSize+10)
	text := "no newline yet"
	io.WriteString(agent, text)
	b := make([]byte, 100)
	if n, err := shownR.Read(b); err != nil || string(b[:n]) != text {
		t.Fatalf("shown %q, %v", b[:n], err)
	}
	rest := "\nbad \xff\n" + long + "\nend"
	got := make(chan string)
	go func() {
		b, _ := io.ReadAll(shownR)
		got <- string(b)
	}()
	io.WriteString(agent, rest)
	drain(time.Minute)
	shown.Close()
	if s := <-got; s != rest {
		t.Errorf("%d bytes were shown, want %d", len(s), len(rest))
	}
	var all []byte
	records := of(readAll(t, r), "stderr")
	for _, rec := range records {
		all = append(all, rec.Text.Bytes...)
	}
	if string(all) != text+rest || len(records) != 5 {
		t.Errorf("%d bytes in %d records, want %d in 5", len(all), len(records), len(text+rest))
	}
}

func TestRotation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "records")
	r := begin(t, Options{Dir: dir, PartBytes: 100 << 10, Acpshim: "v9"})
	line := []byte(`"` + strings.Repeat("x", 997) + "\"\n")
	for range 1000 {
		r.Tap(Agent).Passed(line)
	}
	all := readAll(t, r)
	starts := of(all, "start")
	if n := len(of(all, "message")); n != 1000 || len(starts) < 10 || len(of(all, "end")) != 1 {
		t.Errorf("%d messages in %d parts", n, len(starts))
	}
	for i, s := range starts {
		if s.Start.Part != i || s.Start.Acpshim != "v9" || s.Start.Run != starts[0].Start.Run || !s.Time.Equal(starts[0].Time) {
			t.Errorf("part %d begins with %+v", i, s.Start)
		}
		if info, err := os.Stat(filepath.Join(dir, store.PartName(r.name, i))); err != nil || info.Size() > 100<<10 {
			t.Errorf("part %d has %d bytes, %v", i, info.Size(), err)
		}
	}
}

// A run prunes files of other runs and its own older parts, but not its current part.
func TestARunKeepsTheFolderSmall(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, store.PartName(store.NewName(nil, time.Now()), 0))
	os.WriteFile(old, make([]byte, 300<<10), 0o600)
	os.WriteFile(filepath.Join(dir, "notes.txt"), make([]byte, 300<<10), 0o600)
	r := begin(t, Options{Dir: dir, KeepBytes: 400 << 10})
	line := []byte(`"` + strings.Repeat("x", 9997) + "\"\n")
	for i := range 500 {
		r.Tap(Agent).Passed(line)
		if i%20 == 0 {
			time.Sleep(2 * flushEvery / 20)
		}
	}
	if err := r.Close(Outcome{}); err != nil {
		t.Fatal(err)
	}
	entries, _ := os.ReadDir(dir)
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Name() != "notes.txt" {
			total += info.Size()
		}
	}
	if total > 400<<10 || total < 200<<10 {
		t.Errorf("%d bytes are left in %d files", total, len(entries))
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old file is still there")
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
	records := readDir(t, r)
	if records[0].Start == nil || records[0].Start.Part == 0 || records[len(records)-1].End == nil {
		t.Error("the newest part is not there, or the oldest is")
	}
}

// Prune never removes the part that a run is writing, however long the run was idle. It removes
// older parts of the run.
func TestPruneLeavesRunsAlone(t *testing.T) {
	r := begin(t, Options{PartBytes: 4000})
	for i := range 20 {
		r.Tap(Agent).Passed(numbered(i, 1000))
	}
	var parts []string
	for len(parts) < 10 {
		time.Sleep(flushEvery)
		parts, _ = store.Parts(filepath.Join(r.opts.Dir, r.Name()))
	}
	old := time.Now().Add(-24 * time.Hour)
	for _, path := range parts {
		os.Chtimes(path, old, old)
	}
	last := parts[len(parts)-1]
	for _, l := range []store.Limits{{Bytes: 1}, {Age: time.Hour}, {Bytes: 1, Age: time.Hour}} {
		if _, err := store.Prune(r.opts.Dir, l); err != nil {
			t.Error(err)
		}
		if left, _ := store.Parts(last); !slices.Equal(left, []string{last}) || !store.IsWritten(last) {
			t.Errorf("%+v: of %q, %q are left", l, parts, left)
		}
	}
	if err := r.Close(Outcome{}); err != nil {
		t.Error(err)
	}
	if removed, _ := store.Prune(r.opts.Dir, store.Limits{Bytes: 1}); !slices.Equal(removed.Paths, []string{last}) || store.IsWritten(last) {
		t.Errorf("removed %q after the end", removed.Paths)
	}
}

func TestRedactedRecord(t *testing.T) {
	o := Options{MaxLine: 10_000, Argv: []string{"agent", "--key=secret"}, Cwd: "/home/secret",
		Redact: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("secret"), []byte("[..]")) }}
	r := begin(t, o)
	tap := r.Tap(Agent)
	tap.Passed([]byte("{\"a\":\"secret\"}\n{\"b\":1}\nsecret \xff\r\n"))
	tap.Passed([]byte(`"secret` + strings.Repeat("x", 20_000) + "\"\n"))
	tap.Rewritten([]byte("\"secret\"\n"), []byte("\"more secret\"\n"), wire.Change{})
	fmt.Fprintln(r.Events(), `{"message":"secret"}`)
	stderr, drain := stderrOf(t, r, io.Discard)
	fmt.Fprintln(stderr, "the secret")
	drain(time.Minute)
	all := readAll(t, r)
	var redacted, lines int
	for _, rec := range all {
		if m := rec.Message; m != nil {
			lines++
			if m.Redacted {
				redacted++
			}
			if bytes.Contains(m.Line, []byte("secret")) || m.Head != nil {
				t.Errorf("%q %q", m.Line, m.Head)
			}
		}
		if rec.Text != nil && (!rec.Text.Redacted || !bytes.Contains(rec.Text.Bytes, []byte("[..]"))) {
			t.Errorf("%s %q", rec.Kind, rec.Text.Bytes)
		}
	}
	if redacted != 5 || lines != 6 || !all[0].Start.Redacted || all[0].Start.Cwd != "/home/[..]" || all[0].Start.Argv[1] != "--key=[..]" {
		t.Errorf("%d of %d lines were redacted, start %+v", redacted, lines, all[0].Start)
	}
}

// A piece of a long line of stderr does not end within a secret.
func TestPiecesEndBetweenWords(t *testing.T) {
	r := begin(t, Options{Redact: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("api_key: secret"), []byte("[..]")) }})
	agent, drain := stderrOf(t, r, io.Discard)
	const end = " api_key: secret end"
	var want string
	for cut := range len(end) { // each where the limit would be
		line := strings.Repeat("y", textSize-cut) + end + "\n"
		want += strings.ReplaceAll(line, "api_key: secret", "[..]")
		io.WriteString(agent, line)
	}
	drain(time.Minute)
	var got string
	for _, rec := range of(readAll(t, r), "stderr") {
		if got += string(rec.Text.Bytes); len(rec.Text.Bytes) > textSize {
			t.Errorf("a piece of %d bytes", len(rec.Text.Bytes))
		}
	}
	if got != want {
		t.Errorf("%d secrets stay", strings.Count(got, "secret"))
	}
}

// E2, E9: a reader skips truncated lines, and records of later versions.
func TestReaderSkipsWhatItDoesNotKnow(t *testing.T) {
	text := `{"kind":"start","schema":2,"time":"2026-11-21T00:00:00.000000001Z","new":{"a":[1]}}
{"kind":"sound","seq":1,"time":"2026-11-21T00:00:00Z","mono":5}
{"kind":"message","seq":2,"time":"2026-11-21T00:00:00Z","mono":7,"dir":"agent","new":true,"len":24,"msg":{"a":1, "a":"\ud800","b":1.0}}

torn {"kind"
{"kind":"message","seq":3,"time":"2026-11-21T00:00:00Z","mono":7,"dir":"agent","len":3,"b64":"?"}
{"kind":"message","seq":4,"time":"2026-11-21T00:00:00Z","mono":7,"dir":"cli`
	all := drain(t, NewReader(strings.NewReader(text)), 4)
	if len(all) != 2 || all[0].Start.Schema != 2 || string(all[1].Message.Line) != "{\"a\":1, \"a\":\"\\ud800\",\"b\":1.0}\n" || all[1].Mono != 7 {
		t.Errorf("%+v", all)
	}
}

func TestMissing(t *testing.T) {
	start := func(schema int) string { return fmt.Sprintf(`{"kind":"start","schema":%d}`, schema) + "\n" }
	seq := func(kind string, numbers ...uint64) (text string) {
		for _, n := range numbers {
			text += fmt.Sprintf(`{"kind":%q,"seq":%d}`, kind, n) + "\n"
		}
		return text
	}
	gap := func(seq uint64, stream string, lines int) string {
		return fmt.Sprintf(`{"kind":"gap","seq":%d,"stream":%q,"count":%d,"bytes":%d}`, seq, stream, lines, lines*100) + "\n"
	}
	for name, c := range map[string]struct {
		text string
		want Missing
	}{
		"nothing":                {start(1) + seq("message", 1, 2) + seq("end", 3), Missing{Ended: true}},
		"two parts":              {start(1) + seq("message", 1, 2) + start(1) + seq("message", 3) + seq("end", 4), Missing{Ended: true}},
		"a kind that is new":     {start(1) + seq("message", 1) + seq("sound", 2) + seq("end", 3), Missing{Ended: true}},
		"the end":                {start(1) + seq("message", 1, 2), Missing{}},
		"everything":             {"", Missing{}},
		"the beginning":          {start(1) + seq("message", 101, 102) + seq("end", 103), Missing{Before: 100, Ended: true}},
		"some":                   {start(1) + seq("message", 1, 5, 6, 8) + seq("end", 9), Missing{Entries: 4, Ended: true}},
		"a gap":                  {start(1) + seq("message", 1) + gap(2, "agent", 7) + seq("end", 3), Missing{Gaps: 1, Lines: 7, Bytes: 700, Ended: true}},
		"a file":                 {start(1) + seq("message", 1) + start(1) + gap(9, "all", 7) + seq("end", 10), Missing{Gaps: 1, Lines: 7, Bytes: 700, Ended: true}},
		"the first file":         {start(1) + gap(9, "all", 7) + seq("end", 10), Missing{Gaps: 1, Lines: 7, Bytes: 700, Ended: true}},
		"a broken line":          {start(1) + seq("message", 1) + "{\"kind\":\"mess\n" + seq("end", 3), Missing{Broken: 1, Ended: true}},
		"a broken line and more": {start(1) + seq("message", 1) + "{\"kind\":\"mess\n" + seq("end", 5), Missing{Broken: 1, Entries: 2, Ended: true}},
		"what is out of order":   {start(1) + seq("message", 2, 1, 2, 3) + seq("end", 4), Missing{Before: 1, Ended: true}},
		"more than there can be": {start(1) + seq("message", 1) + gap(2, "agent", -5) + seq("end", 1<<64-1), Missing{Gaps: 1, Entries: 1<<64 - 4, Ended: true}},
	} {
		r := NewReader(strings.NewReader(c.text))
		for err := error(nil); err == nil; {
			_, err = r.Next()
		}
		if got := r.Missing(); got != c.want {
			t.Errorf("%s is missing: %+v, want %+v", name, got, c.want)
		}
	}
}

// A truncated part does not run into the next one, and a missing part is skipped.
func TestPartsOfARun(t *testing.T) {
	dir, run := t.TempDir(), store.NewName([]string{"agent"}, time.Now())
	event := func(seq int) string {
		return fmt.Sprintf(`{"kind":"event","seq":%d,"time":"2026-11-21T00:00:00Z","mono":1,"text":"x"}`, seq)
	}
	for n, text := range map[int]string{2: event(1) + "\n" + event(2)[:50], 3: event(3) + "\n", 10: event(4) + "\n"} {
		os.WriteFile(filepath.Join(dir, store.PartName(run, n)), []byte(text), 0o600)
	}
	os.WriteFile(filepath.Join(dir, store.PartName(store.NewName([]string{"agent"}, time.Now()), 0)), []byte(event(9)), 0o600)
	paths, err := store.Parts(filepath.Join(dir, store.PartName(run, 3)))
	if err != nil || len(paths) != 3 {
		t.Fatalf("%q, %v", paths, err)
	}
	files, err := store.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	var got []uint64
	for _, rec := range drain(t, NewReader(files), 1) {
		got = append(got, rec.Seq)
	}
	if !slices.Equal(got, []uint64{1, 3, 4}) {
		t.Errorf("records %d", got)
	}
	if _, err := store.Parts(filepath.Join(dir, "notes.jsonl")); err == nil {
		t.Error("a file of another name has parts")
	}
	if _, err := store.Open(paths[0], filepath.Join(dir, "none")); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// T4: characters of several bytes are recorded as they are at every border of a read, a write and a
// batch.
func TestCharactersOnBorders(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: not with -short")
	}
	r := begin(t, Options{})
	var sent bytes.Buffer
	for _, border := range []int{4 << 10, 64 << 10, pieceSize, batchSize} {
		for shift := -12; shift <= 3; shift++ {
			line := []byte(`"` + strings.Repeat("x", border+shift) + "é€😀" + strings.Repeat("é", 100) + "\"\n")
			r.Tap(Agent).Passed(line[:border]) // some shifts cut a character
			r.Tap(Agent).Passed(line[border:])
			sent.Write(line)
			if err := proxy.RelayTapped(&sent, &chunkReader{line, border}, holder{}, r.Tap(Agent), 1<<20); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []byte
	for _, rec := range of(readAll(t, r), "message") {
		got = append(got, rec.Message.Line...)
	}
	text, err := os.ReadFile(filepath.Join(r.opts.Dir, r.Name()))
	if err != nil || !bytes.Equal(got, sent.Bytes()) || bytes.Contains(text, []byte(`"b64":`)) || bytes.Contains(text, []byte("\ufffd")) {
		t.Errorf("%d bytes came back of %d, %v", len(got), sent.Len(), err)
	}
}

// FuzzRoundTrip: reading a record returns the bytes that were recorded, in whichever pieces they
// came.
func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("{\"a\":1}\n\n\r\n\ufeff{}\n{\"b\":\"\xff\"}\nH{\"é\":2}\n[1,2]\nlast"), uint8(3), true, true)
	f.Add(bytes.Repeat([]byte("{\"some\":\"words\"}\nH\n"), 300), uint8(90), false, false)
	f.Add([]byte(`{"`+strings.Repeat("x", 5000)+`":1}`+"\nH"+strings.Repeat("y", 5000)), uint8(255), false, true)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, in []byte, chunk uint8, bothWays, prose bool) {
		r := begin(t, Options{Dir: dir, MaxLine: 1 << 20})
		dirs := []wire.Side{Agent}
		if bothWays {
			dirs = append(dirs, Client)
		}
		sent := map[wire.Side][]byte{}
		for _, d := range dirs {
			var out bytes.Buffer
			if err := proxy.RelayTapped(&out, &chunkReader{in, int(chunk) + 1}, holder{}, r.Tap(d), 1<<20); err != nil {
				t.Fatal(err)
			}
			if prose { // as a pump adds lines at its end
				if n := out.Len(); n > 0 && out.Bytes()[n-1] != '\n' {
					out.WriteByte('\n')
				}
				out.WriteString("prose\n")
				r.Tap(d).Rewritten(nil, []byte("prose\n"), wire.Change{By: []wire.Cause{{Name: "plan"}}})
			}
			sent[d] = out.Bytes()
		}
		came, left := map[wire.Side][]byte{}, map[wire.Side][]byte{}
		for _, rec := range of(readAll(t, r), "message") {
			m := rec.Message
			if int(m.Len) != len(m.Line) || m.Stage == "out" && m.Of == 0 && string(m.Line) != "prose\n" {
				t.Fatalf("%+v", m)
			}
			if m.Received() {
				came[m.Dir] = append(came[m.Dir], m.Line...)
			}
			if m.Sent() {
				left[m.Dir] = append(left[m.Dir], m.Line...)
			}
		}
		for _, d := range dirs {
			if !bytes.Equal(came[d], in) || !bytes.Equal(left[d], sent[d]) {
				t.Errorf("%s: %q came back of %q, and %q of %q", d, came[d], in, left[d], sent[d])
			}
		}
		os.Remove(filepath.Join(dir, r.Name()))
	})
}

// A holder holds lines that begin with H. It drops the short ones and doubles the others.
type holder struct{ wire.Base }

func (holder) Inspect(line []byte, _ bool) wire.Verdict {
	if line[0] == 'H' {
		return wire.Hold
	}
	return wire.Pass
}

func (holder) Rewrite(dst, line []byte) (out []byte, by wire.Change) {
	if len(line) < 3 {
		return dst, wire.Change{}
	}
	return append(append(append(dst, line[1:len(line)-1]...), '\n'), line...), wire.Change{}
}

// A chunkReader returns a few bytes at a time.
type chunkReader struct {
	b []byte
	n int
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if len(c.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.n)], c.b)
	c.b = c.b[n:]
	return n, nil
}

// If a line is added after a last line without a newline, that gets one. The record has what was
// received and what was sent, in order.
func TestALastLineThatGetsAnEnd(t *testing.T) {
	long := strings.Repeat("y", 100)
	for name, test := range map[string]struct {
		do        func(*Tap)
		came, out string
	}{
		"it passed": {func(tap *Tap) {
			tap.Passed([]byte("a\nb"))
			tap.Passed([]byte("c"))
			tap.Rewritten(nil, []byte("prose\n"), wire.Change{By: []wire.Cause{{Name: "plan"}}})
			tap.Rewritten(nil, []byte("more\n"), wire.Change{By: []wire.Cause{{Name: "rule"}}})
		}, "a\nbc", "a\nbc\nprose\nmore\n"},
		"it was held": {func(tap *Tap) {
			tap.Rewritten([]byte("b"), []byte("b"), wire.Change{})
			tap.Rewritten(nil, []byte("prose\n"), wire.Change{By: []wire.Cause{{Name: "plan"}}})
		}, "b", "b\nprose\n"},
		"it was changed": {func(tap *Tap) {
			tap.Rewritten([]byte("b"), []byte("made\nc"), wire.Change{By: []wire.Cause{{Name: "rule"}}})
			tap.Rewritten(nil, []byte("prose\n"), wire.Change{By: []wire.Cause{{Name: "plan"}}})
		}, "b", "made\nc\nprose\n"},
		"it was changed, and nothing follows": {func(tap *Tap) {
			tap.Rewritten([]byte("b"), []byte("c"), wire.Change{By: []wire.Cause{{Name: "rule"}}})
		}, "b", "c"},
		"it is long": {func(tap *Tap) {
			tap.Passed([]byte(long))
			tap.Rewritten(nil, []byte("prose\n"), wire.Change{})
		}, "(100)", "(101)prose\n"},
		"it was changed and is long": {func(tap *Tap) {
			tap.Rewritten([]byte("b"), []byte(long), wire.Change{})
			tap.Rewritten(nil, []byte("prose\n"), wire.Change{})
		}, "b", "(101)prose\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, Options{MaxLine: 50})
			test.do(r.Tap(Agent))
			var came, out string
			var in uint64
			for _, rec := range of(readAll(t, r), "message") {
				m := rec.Message
				line := string(m.Line)
				if m.SHA256 != "" {
					line = fmt.Sprintf("(%d)", m.Len)
				}
				if m.Received() {
					came += line
				}
				if m.Sent() {
					out += line
				}
				switch m.Stage {
				case "in":
					in = rec.Seq
				case "out":
					if m.Of != in && m.Of != 0 {
						t.Errorf("%q is of %d, not %d", line, m.Of, in)
					}
				}
			}
			if came != test.came || out != test.out {
				t.Errorf("came %q, want %q; was written %q, want %q", came, test.came, out, test.out)
			}
		})
	}
}
