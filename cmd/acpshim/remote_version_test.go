//go:build unix

package main

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
)

// A server that speaks version 2 and allows one initialize a connection. acpshim makes a new
// connection for the second one. If that fails, too, the client gets the first refusal.
func TestAServerOfTheOtherVersion(t *testing.T) {
	const (
		refused  = `{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"no","data":{"requested":1,"supported":[2]}}}`
		notAgain = `{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Initialize not allowed on existing connection"}}`
		accepted = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}`
	)
	for name, test := range map[string]struct {
		second string // the response to the first initialize of the second connection
		want   string
	}{
		"it accepts version 2": {accepted, `"protocolVersion":1`},
		"it refuses again":     {notAgain, refused},
		"it ends":              {"", refused},
	} {
		t.Run(name, func(t *testing.T) {
			var connections atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				conn, err := websocket.Accept(w, r, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.CloseNow()
				response := refused
				if connections.Add(1) > 1 {
					response = test.second
				}
				for response != "" {
					if _, _, err := conn.Read(r.Context()); err != nil {
						return
					}
					conn.Write(r.Context(), websocket.MessageText, []byte(response))
					response = notAgain
				}
			}))
			defer server.Close()
			c := connects(t, "token", strings.Replace(server.URL, "http", "ws", 1), "--log-level", "error")
			c.send(remoteInitialize)
			if line, _ := bufio.NewReader(c.out).ReadString('\n'); !strings.Contains(line, test.want) {
				t.Errorf("the client gets %s", line)
			}
			c.in.Close()
			c.exits(map[bool]int{false: 0, true: 1}[name == "it ends"])
			if n := connections.Load(); n != 2 {
				t.Errorf("there were %d connections", n)
			}
		})
	}
}
