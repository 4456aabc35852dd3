package serve

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

const token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// Only a request with the token, and from an allowed host and origin, is accepted.
func TestWhoIsRefused(t *testing.T) {
	type header = map[string]string
	for name, test := range map[string]struct {
		method, url string
		header      header
		want        int
	}{
		"no token":                      {"GET", "http://127.0.0.1/acp", nil, 401},
		"health":                        {"GET", "http://127.0.0.1/health", nil, 200},
		"bearer":                        {"GET", "http://127.0.0.1/acp", header{"Authorization": "bearer " + token}, 400},
		"another scheme":                {"GET", "http://127.0.0.1/acp", header{"Authorization": "Basic " + token}, 401},
		"wrong bearer":                  {"GET", "http://127.0.0.1/acp", header{"Authorization": "Bearer " + token[1:]}, 401},
		"secret key":                    {"GET", "http://127.0.0.1/acp", header{"X-Secret-Key": token}, 400},
		"wrong secret key":              {"GET", "http://127.0.0.1/acp", header{"X-Secret-Key": token + "0"}, 401},
		"query":                         {"GET", "http://127.0.0.1/acp?token=" + token, nil, 400},
		"empty query":                   {"GET", "http://127.0.0.1/acp?token=", nil, 401},
		"subprotocol":                   {"GET", "http://127.0.0.1/acp", header{"Sec-WebSocket-Protocol": "acp, acp.v1." + token}, 400},
		"wrong subprotocol":             {"GET", "http://127.0.0.1/acp", header{"Sec-WebSocket-Protocol": token + ", ." + token}, 401},
		"upgrade without token":         {"GET", "http://127.0.0.1/acp", header{"Upgrade": "websocket", "Connection": "Upgrade"}, 401},
		"another path":                  {"GET", "http://127.0.0.1/x", nil, 401},
		"another path with the token":   {"GET", "http://127.0.0.1/x?token=" + token, nil, 404},
		"localhost":                     {"GET", "http://LocalHost:99/health", nil, 200},
		"IPv6":                          {"GET", "http://[::1]:99/health", nil, 200},
		"a name that leads here":        {"GET", "http://evil.example:99/acp?token=" + token, nil, 403},
		"a name of ours":                {"GET", "http://Agents.example/health", nil, 200},
		"a name of the certificate":     {"GET", "http://cert.example/health", nil, 200},
		"a page":                        {"GET", "http://127.0.0.1/acp?token=" + token, header{"Origin": "https://evil.example"}, 403},
		"a file":                        {"GET", "http://127.0.0.1/acp?token=" + token, header{"Origin": "null"}, 403},
		"a page that may":               {"GET", "http://127.0.0.1/acp?token=" + token, header{"Origin": "https://app.example"}, 400},
		"a page that may, no token":     {"GET", "http://127.0.0.1/acp", header{"Origin": "https://app.example"}, 401},
		"a page that may asks what for": {"OPTIONS", "http://127.0.0.1/acp", header{"Origin": "https://app.example"}, 204},
		"a page asks what for":          {"OPTIONS", "http://127.0.0.1/acp", header{"Origin": "https://app.example.evil"}, 403},
		"another method":                {"PUT", "http://127.0.0.1/acp?token=" + token, nil, 405},
		"another type":                  {"POST", "http://127.0.0.1/acp?token=" + token, header{"Content-Type": "text/plain"}, 415},
		"an unknown connection":         {"POST", "http://127.0.0.1/acp?token=" + token, header{"Content-Type": "application/json", "Acp-Connection-Id": "x"}, 404},
		"an unknown stream":             {"GET", "http://127.0.0.1/acp?token=" + token, header{"Acp-Connection-Id": "x"}, 404},
		"an unknown end":                {"DELETE", "http://127.0.0.1/acp?token=" + token, header{"Acp-Connection-Id": "x"}, 404},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				s := New(Options{
					Token: token, Origins: []string{"https://app.example"}, Hosts: []string{"agents.example"}, Connections: 1,
					HasName: func(name string) bool { return name == "cert.example" }, Log: zerolog.New(&log),
				})
				r := httptest.NewRequest(test.method, test.url, nil)
				for name, value := range test.header {
					r.Header.Set(name, value)
				}
				w, began := httptest.NewRecorder(), time.Now()
				s.ServeHTTP(w, r)
				if w.Code != test.want {
					t.Errorf("the status is %d, want %d: %s", w.Code, test.want, w.Body)
				}
				if took := time.Since(began); (took == time.Second) != (w.Code == 401) || took > time.Second {
					t.Errorf("the answer took %v", took)
				}
				allowed := w.Header().Get("Access-Control-Allow-Origin")
				if isPage := test.header["Origin"] == "https://app.example"; (allowed == "https://app.example") != isPage {
					t.Errorf("the browser is told %q", allowed)
				}
				if all := log.String() + w.Body.String(); strings.Contains(all, token[:20]) || (w.Code == 401) != strings.Contains(all, "refused") {
					t.Errorf("the log has %s", all)
				}
				isWrong := strings.HasPrefix(name, "wrong") || name == "another scheme"
				if w.Code == 401 && strings.Contains(log.String(), "a wrong token") != isWrong {
					t.Errorf("the log has %s", log.String())
				}
			})
		})
	}
}

// Many attempts at a time do not delay each other or anything else.
func TestAttemptsAreSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Token: token, Connections: 1, Log: zerolog.Nop()})
		got := make(chan int, 1000)
		var all sync.WaitGroup
		for range cap(got) {
			all.Go(func() {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/acp?token=x", nil))
				got <- w.Code
			})
		}
		synctest.Wait()
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/acp?token="+token, nil)); w.Code != 400 {
			t.Errorf("who has the token gets %d", w.Code)
		}
		all.Wait()
		count := map[int]int{}
		for range cap(got) {
			count[<-got]++
		}
		if count[http.StatusUnauthorized] != maxFailing || count[http.StatusTooManyRequests] != cap(got)-maxFailing {
			t.Errorf("the answers are %v", count)
		}
	})
}
