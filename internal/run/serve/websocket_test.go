package serve

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"acpshim/internal/run/frames"

	"github.com/coder/websocket"
)

// Each limit closes the connection with the code of the SDKs, and a reason.
func TestCloseCodes(t *testing.T) {
	const initialize = `{"id":0,"method":"initialize"}`
	long := `{"method":"x","params":"` + strings.Repeat("x", 20<<20) + `"}`
	for name, c := range map[string]struct {
		messages []string
		code     websocket.StatusCode
		reason   string
	}{
		"not initialize first": {[]string{`{"id":0,"method":"session/new"}`}, websocket.StatusProtocolError, "the first message is not an initialize request"},
		"a long message":       {[]string{initialize, strings.Repeat("x", frames.MaxMessage+1)}, websocket.StatusMessageTooBig, "a message is longer than 64 MiB"},
		"an agent that does not read": {
			[]string{initialize, long, long, long, long, long}, websocket.StatusPolicyViolation, "too many bytes wait",
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newSite(t, nil)
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			conn, _, err := websocket.Dial(ctx, strings.Replace(x.url, "http", "ws", 1), &websocket.DialOptions{
				HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.CloseNow()
			go func() {
				for _, m := range c.messages {
					if conn.Write(ctx, websocket.MessageText, []byte(m)) != nil {
						return // the server has closed the connection
					}
				}
			}()
			_, _, err = conn.Read(ctx)
			if code := websocket.CloseStatus(err); code != c.code || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("the connection ended with %d, %v; want %d, %q", code, err, c.code, c.reason)
			}
		})
	}
}
