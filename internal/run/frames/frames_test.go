package frames

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

func texts(lines [][]byte) (all []string) {
	for _, line := range lines {
		all = append(all, string(line))
	}
	return all
}

func TestFramesBecomeLines(t *testing.T) {
	for name, c := range map[string]struct{ frames, want []string }{
		"one each":                 {[]string{`{"a":1}`, `{"b":2}`}, []string{`{"a":1}`, `{"b":2}`}},
		"with its end":             {[]string{"{\"a\":1}\r\n"}, []string{`{"a":1}`}},
		"several in one":           {[]string{"{\"a\":1}\n{\"b\":2}"}, []string{`{"a":1}`, `{"b":2}`}},
		"halves":                   {[]string{`{"a":`, `1}`, "\n", `{"b":2}`}, []string{`{"a":1}`, `{"b":2}`}},
		"halves with ends":         {[]string{`{"a":`, "1}\n{\"b\"", ":2}\n"}, []string{`{"a":1}`, `{"b":2}`}},
		"spread":                   {[]string{"{\n  \"a\": 1\r\n}"}, []string{`{   "a": 1  }`}},
		"garbage, then a message":  {[]string{"oops", `{"b":2}`}, []string{"oops", `{"b":2}`}},
		"garbage with an end":      {[]string{"oops\n", `{"b":2}`}, []string{"oops", `{"b":2}`}},
		"a half, then a message":   {[]string{`{"a":`, `{"b":2}`}, []string{`{"a":`, `{"b":2}`}},
		"nothing":                  {[]string{"", "\n", " \n\n"}, nil},
		"a half character":         {[]string{"{\"a\":\"\xc3", "\xa9\"}"}, []string{`{"a":"é"}`}},
		"a batch":                  {[]string{`[{"a":1}]`}, []string{`[{"a":1}]`}},
		"two messages, no newline": {[]string{`{"a":1}{"b":2}`, "\n"}, []string{`{"a":1}`, `{"b":2}`}},
	} {
		var j Joiner
		var got []string
		for _, frame := range c.frames {
			got = append(got, texts(j.Add([]byte(frame)))...)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestEvents(t *testing.T) {
	const stream = ": hello\n\ndata: {\"a\":1}\n\nid: 7\nevent: message\ndata:{\"b\":\ndata: 2}\n\n\r\n" +
		"data: cr\r\rdata: crlf\r\n\r\n:\n\nid\nretry: 3\ndata\n\ndata: cut off\n"
	for name, body := range map[string]io.Reader{"at once": strings.NewReader(stream), "byte by byte": iotest.OneByteReader(strings.NewReader(stream))} {
		e := NewEvents(body)
		var got []string
		var ids []string
		for {
			data, err := e.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			got, ids = append(got, string(data)), append(ids, e.ID)
		}
		if want := []string{`{"a":1}`, "{\"b\":\n2}", "cr", "crlf", ""}; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if want := []string{"", "7", "7", "7", ""}; !slices.Equal(ids, want) || e.Comments != 2 {
			t.Errorf("%s: ids %q, want %q; %d comments", name, ids, want, e.Comments)
		}
	}
}

func TestAnEventMayBeLong(t *testing.T) {
	long := strings.Repeat("x", 20_000_000)
	e := NewEvents(strings.NewReader(string(AppendEvent(nil, []byte(long)))))
	if data, err := e.Next(); err != nil || string(data) != long {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	e = NewEvents(io.MultiReader(strings.NewReader("data: "), io.LimitReader(endless{}, MaxMessage+100), strings.NewReader("\n\n")))
	if data, err := e.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	e = NewEvents(io.LimitReader(endless{"data: " + strings.Repeat("x", 1000) + "\n"}, 10*MaxMessage))
	if data, err := e.Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("%d bytes of many lines, %v", len(data), err)
	}
}

// An endless reader repeats a text.
type endless struct{ text string }

func (e endless) Read(p []byte) (n int, err error) {
	text := e.text
	if text == "" {
		text = "x"
	}
	for n < len(p) && (n == 0 || len(p)-n >= len(text)) {
		n += copy(p[n:], text)
	}
	return n, nil
}

func TestAQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := NewBudget(8 << 10)
		q := NewQueue(4<<10, budget)
		line := func() []byte { return []byte(strings.Repeat("x", 2<<10)) }
		if !q.Push(line()) || q.Offer(line()) {
			t.Error("want room for one line")
		}
		pushed := make(chan bool, 1)
		go func() { pushed <- q.Push(line()) }()
		synctest.Wait()
		if len(pushed) > 0 {
			t.Error("a line did not wait for room")
		}
		buf := make([]byte, 8<<10)
		if n, err := q.Read(buf); n < 2<<10 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		synctest.Wait()
		if len(pushed) == 0 || !<-pushed {
			t.Error("a line waits though there is room")
		}
		go func() { pushed <- q.Push(line()) }()
		synctest.Wait()
		q.Close()
		if synctest.Wait(); len(pushed) == 0 || <-pushed {
			t.Error("a line was taken by a queue that is closed")
		}
		if n, err := q.Read(buf); n != 2<<10+1 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		if _, err := q.Read(buf); !errors.Is(err, io.EOF) || q.size != 0 || budget.left.Load() != 8<<10 {
			t.Errorf("%v, %d bytes are left", err, q.size)
		}
	})
}
