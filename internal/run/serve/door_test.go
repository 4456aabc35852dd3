package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A request that announces a body and never sends it gets its response at once, and its socket is
// closed: otherwise 4,096 of them, which need no token, keep everybody else out.
func TestAnAnnouncedBodyHoldsNoSocket(t *testing.T) {
	const authorized = "Authorization: Bearer " + token + "\r\n"
	const isJSON = "Content-Type: application/json\r\n"
	for name, test := range map[string]struct {
		method, path, headers string
		status                int
	}{
		"no token":              {"POST", "/acp", "", 401},
		"health":                {"GET", "/health", "", 200},
		"another host":          {"POST", "/acp", "Host: evil.example\r\n", 403},
		"another origin":        {"POST", "/acp", "Origin: https://evil.example\r\n", 403},
		"another path":          {"POST", "/x", authorized, 404},
		"an unknown connection": {"POST", "/acp", authorized + isJSON + connectionID + ": x\r\n", 404},
		"another method":        {"PUT", "/acp", authorized, 405},
		"another type":          {"POST", "/acp", authorized, 415},
		"too many bytes wait":   {"POST", "/acp", authorized + isJSON, 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newSite(t, nil)
			if test.status == 503 {
				x.server.budget.Take(MaxWaiting)
				defer x.server.budget.Give(MaxWaiting)
			}
			conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(x.url, "http://"), "/acp"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if !strings.Contains(test.headers, "Host: ") {
				test.headers += "Host: localhost\r\n"
			}
			fmt.Fprintf(conn, "%s %s HTTP/1.1\r\n%sContent-Length: 1000\r\n\r\n{", test.method, test.path, test.headers)
			conn.SetReadDeadline(time.Now().Add(4 * time.Second))
			from := bufio.NewReader(conn)
			response, err := http.ReadResponse(from, nil)
			if err != nil {
				t.Fatalf("there is no response: %v", err)
			}
			io.Copy(io.Discard, response.Body)
			if response.StatusCode != test.status || !response.Close {
				t.Errorf("the status is %d, want %d; the socket stays open: %t", response.StatusCode, test.status, !response.Close)
			}
			if _, err := from.ReadByte(); err != io.EOF {
				t.Errorf("the socket is not closed: %v", err)
			}
		})
	}
}

// A client with the token uses its socket again.
func TestTheSocketOfAClientIsKept(t *testing.T) {
	x := newSite(t, nil)
	id, agent := x.begins()
	for range 2 {
		response := x.do("POST", id, "", `{"method":"x"}`)
		agent.gets(`{"method":"x"}`)
		if response.Close {
			t.Error("the socket is closed")
		}
	}
}

// A message after the end of its connection gets 404, also while the connection's agent still ends.
func TestAMessageAfterTheEnd(t *testing.T) {
	for range 20 {
		x := newSite(t, nil)
		id, agent := x.begins()
		x.answers("DELETE", id, "", "", 202, "")
		for range 3 {
			x.answers("POST", id, "", `{"id":1,"method":"x"}`, 404, "acpshim: unknown connection; it may have ended\n")
		}
		agent.exit()
	}
}

// Headers beyond 16 KiB are refused, because 4,096 sockets may have as many at a time.
func TestLongHeadersAreRefused(t *testing.T) {
	x := newSite(t, nil)
	r, _ := http.NewRequest("GET", x.url, nil)
	r.Header.Set("X-Long", strings.Repeat("x", 62_000))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge || !response.Close {
		t.Errorf("the response is %d", response.StatusCode)
	}
}
