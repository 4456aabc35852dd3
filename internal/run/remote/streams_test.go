package remote

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A web is a scripted server of streamable HTTP.
type web struct {
	*testing.T
	url string

	mu       sync.Mutex
	requests []string                   // "POST session body", "GET session last-event-id", "DELETE"
	refuses  map[string]int             // the status of a request, by its text
	streams  map[string]chan string     // raw events, by session; closed at the end
	onPost   func(body, session string) // called for each message
}

func newWeb(t *testing.T) *web {
	w := &web{T: t, refuses: map[string]int{}, streams: map[string]chan string{}}
	server := httptest.NewServer(w)
	t.Cleanup(func() {
		w.mu.Lock()
		for _, s := range w.streams {
			close(s)
		}
		w.streams = map[string]chan string{}
		w.mu.Unlock()
		server.CloseClientConnections()
		server.Close()
	})
	w.url = server.URL + "/acp"
	return w
}

// stream returns the events of a stream.
func (w *web) stream(session string) chan string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.streams[session]
	if s == nil {
		s = make(chan string, 100)
		w.streams[session] = s
	}
	return s
}

// ends closes a stream that is read.
func (w *web) ends(session string) {
	s := w.stream(session)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.streams, session)
	close(s)
}

func event(message string) string { return "data: " + message + "\n\n" }

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	session := r.Header.Get("Acp-Session-Id")
	text := strings.TrimSpace(strings.Join([]string{r.Method, session, string(body), r.Header.Get("Last-Event-ID")}, " "))
	w.mu.Lock()
	w.requests = append(w.requests, text)
	status := w.refuses[text]
	w.mu.Unlock()
	if first := strings.Contains(string(body), `"initialize"`); !first && r.Header.Get("Acp-Connection-Id") != "c" {
		w.Errorf("%s: no connection id", text)
	} else if r.Header.Get("Origin") != "" || r.Header.Get("Authorization") != "Bearer t" {
		w.Errorf("%s: headers %v", text, r.Header)
	}
	switch {
	case status != 0:
		http.Error(out, "no", status)
	case r.Method == http.MethodPost && string(body) == initialize:
		out.Header().Set("Acp-Connection-Id", "c")
		io.WriteString(out, strings.Replace(initialized, ":{", ": {\n", 1))
	case r.Method == http.MethodPost:
		if w.onPost != nil {
			w.onPost(string(body), session)
		}
		out.WriteHeader(http.StatusAccepted)
	case r.Method == http.MethodGet:
		out.Header().Set("Content-Type", "text/event-stream")
		out.WriteHeader(http.StatusOK)
		events := w.stream(session)
		for {
			http.NewResponseController(out).Flush()
			select {
			case e, ok := <-events:
				if !ok {
					return
				}
				io.WriteString(out, e)
			case <-r.Context().Done():
				return
			}
		}
	case r.Method == http.MethodDelete:
		out.WriteHeader(http.StatusAccepted)
	}
}

func (w *web) connect() *client {
	c := dial(w.T, w.url, func(o *Options) { o.Header = http.Header{"Authorization": {"Bearer t"}} })
	c.says(initialize)
	c.gets(strings.Replace(initialized, ":{", ": { ", 1))
	return c
}

// wants waits for certain requests, in that order.
func (w *web) wants(want ...string) {
	w.Helper()
	var got []string
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		w.mu.Lock()
		got = slices.Clone(w.requests)
		w.mu.Unlock()
		if slices.Equal(got, want) {
			return
		}
	}
	w.Fatalf("the server gets\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

const (
	load    = `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}`
	loaded  = `{"jsonrpc":"2.0","id":1,"result":{}}`
	ask     = `{"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{"sessionId":"s"}}`
	decided = `{"jsonrpc":"2.0","id":2,"result":{"outcome":{"outcome":"cancelled"}}}`
)

// Each message is a POST. A session's stream is read before its first message. A response to the
// agent names the stream of its request. The end is a DELETE.
func TestAConversationOverHTTP(t *testing.T) {
	w := newWeb(t)
	w.onPost = func(body, _ string) {
		if body == prompt {
			w.stream("s") <- event(said) + event(ask)
		}
		if body == decided {
			w.stream("") <- event(strings.ReplaceAll(done, ",", ",\ndata: "))
		}
	}
	c := w.connect()
	c.says(prompt)
	c.gets(said, ask)
	c.says(decided)
	c.gets(strings.ReplaceAll(done, ",", ", "))
	c.agent.CloseWrite()
	c.ends("the connection to "+w.url+" was closed by acpshim", false)
	w.wants("POST  "+initialize, "GET", "GET s", "POST s "+prompt, "POST s "+decided, "DELETE")
}

// The result of session/load may arrive before the replay on another stream. The client gets it
// after the replay.
func TestAReplayComesBeforeItsResult(t *testing.T) {
	w := newWeb(t)
	w.onPost = func(string, string) {
		w.stream("") <- event(loaded)
		go func() {
			for range 3 {
				time.Sleep(10 * time.Millisecond) // less than quiet, also on a busy machine
				w.stream("s") <- event(said)
			}
		}()
	}
	c := w.connect()
	c.says(load)
	c.gets(said, said, said, loaded)
}

// The Python server knows a session only after a message without the session's header.
func TestASessionThatTheServerDoesNotKnowYet(t *testing.T) {
	w := newWeb(t)
	w.refuses["GET s"], w.refuses["POST s "+load] = 404, 404
	w.onPost = func(string, string) {
		w.stream("") <- event(said) + event(loaded)
	}
	c := w.connect()
	c.says(load)
	c.gets(said, loaded)
}

// If the server refuses a request, that becomes its response, and the connection goes on.
func TestARequestThatTheServerRefuses(t *testing.T) {
	w := newWeb(t)
	w.refuses["POST s "+prompt], w.refuses[`POST  {"jsonrpc":"2.0","method":"n"}`] = 413, 500
	c := w.connect()
	c.says(prompt, `{"jsonrpc":"2.0","method":"n"}`)
	c.gets(`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"acpshim: the server returned 413 Request Entity Too Large","data":{"body":"no\n","status":413}}}`)
	w.mu.Lock()
	w.refuses["GET t"] = 409
	w.mu.Unlock()
	c.says(strings.Replace(prompt, `"s"`, `"t"`, 1))
	c.gets(refused(2, "another client reads this session (409)"))
	w.mu.Lock()
	w.refuses["POST s "+prompt] = 401
	w.mu.Unlock()
	c.says(prompt)
	c.ends("the server at "+w.url+" returned 401 Unauthorized: it does not accept the token, or this client; put the token into ACPSHIM_CONNECT_TOKEN, or a line such as \"Authorization: Bearer ${TOKEN}\" into --header-file FILE", true)
}

// When a session's stream ends, its pending requests get responses, and the stream is opened again.
// With event ids, nothing is lost.
func TestAStreamThatEnds(t *testing.T) {
	w := newWeb(t)
	c := w.connect()
	c.says(prompt)
	w.wants("POST  "+initialize, "GET", "GET s", "POST s "+prompt)
	w.ends("s")
	c.gets(refused(2, "the server ended the stream of the session"))
	w.stream("s") <- "id: 7\n" + event(said)
	c.gets(said)
	w.wants("POST  "+initialize, "GET", "GET s", "POST s "+prompt, "GET s")
	c.says(strings.Replace(prompt, `"id":2`, `"id":3`, 1))
	w.ends("s")
	w.stream("s") <- event(strings.Replace(done, `"id":2`, `"id":3`, 1))
	c.gets(strings.Replace(done, `"id":2`, `"id":3`, 1))
	w.wants("POST  "+initialize, "GET", "GET s", "POST s "+prompt, "GET s", "POST s "+strings.Replace(prompt, `"id":2`, `"id":3`, 1), "GET s  7")
	w.ends("")
	c.ends("the server at "+w.url+" ended the connection", false)
}

// 20,000 updates arrive in order, and 20 MB in one event.
func TestManyAndLongEvents(t *testing.T) {
	w := newWeb(t)
	c := w.connect()
	c.says(prompt)
	long := fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":%q}`, strings.Repeat("x", 20_000_000))
	go func() {
		for i := range 20_000 {
			w.stream("s") <- event(fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":%d}`, i))
		}
		w.stream("s") <- event(long)
	}()
	for i := range 20_000 {
		c.gets(fmt.Sprintf(`{"jsonrpc":"2.0","method":"x","params":%d}`, i))
	}
	c.gets(long)
}
