package telemetry

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/redact"
	"acpshim/internal/system/otlp"
)

// run sends lines of a client and an agent through a record without a file. It returns what the
// collector received.
func run(t *testing.T, o LiveOptions, each func(*LiveExport, record.Record)) (got string, err error) {
	t.Helper()
	var mu sync.Mutex
	var bodies bytes.Buffer
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		io.Copy(&bodies, r.Body)
	}))
	defer server.Close()
	var l *LiveExport
	r, newErr := record.New(record.Options{Each: func(r record.Record) { each(l, r) }})
	if newErr != nil {
		t.Fatal(newErr)
	}
	o.Run, o.Client = r.Run(), &otlp.Client{URL: server.URL}
	l = Begin(o)
	client, agent := r.Tap(record.Client), r.Tap(record.Agent)
	client.Passed([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"session-number-1","prompt":[{"type":"text","text":"password=hunter2hunter2"}]}}` + "\n"))
	agent.Passed([]byte(`{"id":1,"method":"fs/read_text_file","params":{"sessionId":"session-number-1"}}` + "\n"))
	client.Passed([]byte(`{"id":1,"result":{}}` + "\n"))
	agent.Passed([]byte(`{"id":1,"result":{"stopReason":"end_turn"}}` + "\n"))
	if err := r.Close(record.Outcome{}); err != nil {
		t.Fatal(err)
	}
	err = l.Close(time.Minute)
	mu.Lock()
	defer mu.Unlock()
	return bodies.String(), err
}

func TestLive(t *testing.T) {
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := LiveOptions{Line: func(line []byte) []byte { return redactor.Redact(nil, line) }}
	o.Contents = true
	got, err := run(t, o, (*LiveExport).Record)
	if err != nil {
		t.Error(err)
	}
	for text, want := range map[string]int{`"name":"fs/read_text_file"`: 1, `"name":"invoke_agent"`: 1, "end_turn": 1, "session-number-1": 0, "hunter2": 0, "redacted": 1, "error": 0} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("%s occurs %d times, want %d: %s", text, n, want, got)
		}
	}
}

// If lines are dropped, Close reports it. Then a request without a response has not failed.
func TestLiveLosesLines(t *testing.T) {
	n, wait := 0, make(chan struct{})
	o := LiveOptions{Line: func(line []byte) []byte { <-wait; return line }} // blocks reading
	got, err := run(t, o, func(l *LiveExport, r record.Record) {
		if n++; n == 4 { // the response to the prompt
			defer close(wait)
			r.Message.Line = bytes.Repeat([]byte(" "), maxQueue)
		}
		l.Record(r)
	})
	if err == nil || !strings.Contains(err.Error(), "because there were too many") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(got, `"acpshim.incomplete"`) || strings.Contains(got, "no_response") {
		t.Errorf("sent: %s", got)
	}
}

// A collector that does not respond delays the end only for the given time.
func TestLiveEnds(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	l := Begin(LiveOptions{Client: &otlp.Client{URL: server.URL}})
	for i := range 2 {
		l.Record(record.Record{Seq: uint64(i + 1), Message: &record.Message{
			Dir: record.Client, Line: fmt.Appendf(nil, `{"id":%d,"method":"x"}`+"\n", i),
		}})
	}
	if err := l.Close(100 * time.Millisecond); err == nil || err.Error() != "dropped 2 spans" {
		t.Error(err)
	}
	var none *LiveExport
	none.Record(record.Record{})
	if err := none.Close(0); err != nil {
		t.Error(err)
	}
}
