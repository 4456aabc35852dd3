package rule

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
)

func mustProgram(t *testing.T, text string) *program {
	t.Helper()
	p, err := newProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The programs for a line can use the allowance up to the last byte and message, but not more.
func TestAllowance(t *testing.T) {
	for _, test := range []struct {
		program         string
		bytes, messages int
		want            error
	}{
		{`"ab", "c"`, len(`"ab""c"`), 2, nil},
		{`"ab", "c"`, len(`"ab""c"`) - 1, 2, errLarge},
		{`"ab", "c"`, 100, 1, errMany},
		{`empty`, 0, 0, nil},
	} {
		a := allowance{ctx: context.Background(), bytes: test.bytes, messages: test.messages}
		values, err := mustProgram(t, test.program).run([]byte(`{}`), &a)
		if !errors.Is(err, test.want) {
			t.Errorf("%s with %d bytes and %d messages: %q, %v", test.program, test.bytes, test.messages, values, err)
		}
		if left := test.bytes - len(strings.Join(texts(values), "")); err == nil && (a.bytes != left || a.messages != test.messages-len(values)) {
			t.Errorf("%s leaves %d bytes and %d messages", test.program, a.bytes, a.messages)
		}
	}
}

func texts(lines [][]byte) (texts []string) {
	for _, line := range lines {
		texts = append(texts, string(line))
	}
	return texts
}

// At most maxRunning runs of a program are active. A run that was not started is not reported as
// slow.
func TestRunning(t *testing.T) {
	p := mustProgram(t, `.`)
	run := func() error {
		_, err := p.run([]byte(`{}`), &allowance{ctx: context.Background(), bytes: 100, messages: 1})
		return err
	}
	for range 3 * maxRunning {
		if err := run(); err != nil {
			t.Fatal(err)
		}
	}
	for p.running.Load() > 0 { // the last one may not have ended yet
		runtime.Gosched()
	}
	p.running.Store(maxRunning - 1)
	if err := run(); err != nil {
		t.Errorf("as the last of %d: %v", maxRunning, err)
	}
	p.running.Store(maxRunning)
	if err := run(); !errors.Is(err, errBusy) || strings.Contains(err.Error(), "longer than") {
		t.Errorf("beside %d others: %v", maxRunning, err)
	}
	if n := p.running.Load(); n != maxRunning {
		t.Errorf("one that is not started counts: %d run", n)
	}
}

func TestProgramAndMessageAreBounded(t *testing.T) {
	if _, err := newProgram("." + strings.Repeat(" ", maxProgram-1)); err != nil {
		t.Errorf("a program of %d bytes: %v", maxProgram, err)
	}
	if _, err := newProgram("." + strings.Repeat(" ", maxProgram)); err == nil {
		t.Errorf("a program of %d bytes is taken", maxProgram+1)
	}
	if got, want := decodedSize([]byte(`[1,2,{"a":3}]`)), 13+2*32+2*64; got != want {
		t.Errorf("the decoded size is %d, want %d", got, want)
	}
	const commas = 950_000
	text := func(size, commas int) []byte {
		return []byte(`"` + strings.Repeat(",", commas) + strings.Repeat("x", size-commas-2) + `"`)
	}
	p := mustProgram(t, `empty`)
	for _, test := range []struct {
		line []byte
		want error
	}{
		{text(maxInput, 0), nil},
		{text(maxInput+1, 0), errInput},
		{text(maxDecoded-32*commas, commas), nil},
		{text(maxDecoded-32*commas+1, commas), errInput},
	} {
		if _, err := p.run(test.line, &allowance{ctx: context.Background(), bytes: 100, messages: 1}); !errors.Is(err, test.want) {
			t.Errorf("a message of %d bytes, %d as values: %v", len(test.line), decodedSize(test.line), err)
		}
	}
}

func TestFits(t *testing.T) {
	for _, test := range []struct {
		value       any
		room, depth int // of which less of either does not do
	}{
		{"", 2, 0}, {"abc", 5, 0}, {json.Number("12345"), 5, 0}, {nil, 2, 0},
		{[]any{}, 2, 0}, {[]any{[]any{"a"}}, 7, 2}, {map[string]any{"name": map[string]any{"a": "b"}}, 12, 2},
	} {
		if room := test.room; !fits(test.value, &room, test.depth) || room != 0 {
			t.Errorf("%v does not fit: %d are left of %d", test.value, room, test.room)
		}
		if room := test.room - 1; fits(test.value, &room, test.depth) {
			t.Errorf("%v fits in %d", test.value, test.room-1)
		}
		if room := test.room; fits(test.value, &room, test.depth-1) {
			t.Errorf("%v fits in a depth of %d", test.value, test.depth-1)
		}
	}
	if room := 2; !fits(7, &room, 0) || room != 1 {
		t.Errorf("of 2 a digit leaves %d", room)
	}
}
