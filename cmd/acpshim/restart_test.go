//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An agent that refuses the client's version, and is not to be asked again on the same connection,
// is started afresh, once. The client gets the response of the second one, or the first refusal. If
// it sends session/new without waiting, the second one gets that, too.
func TestAnAgentIsStartedAfreshForTheOtherVersion(t *testing.T) {
	const (
		refuses  = `printf '%s\n' '{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"no","data":{"supported":[2]}}}'`
		notAgain = `printf '%s\n' '{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"Initialize not allowed on existing connection"}}'`
		speaks2  = `read line; case $line in *'"protocolVersion":2'*) ;; *) exit 9;; esac
printf '%s\n' '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}'
read line; case $line in *session/new*) ;; *) exit 8;; esac
exit 5`
		refused = `{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"no","data":{"supported":[2]}}}`
	)
	for _, test := range []struct{ name, first, second, want string }{
		{"it ends after the refusal", "read line; " + refuses + "; exit 3", speaks2, `"protocolVersion":1`},
		{"it ends within a line", "read line; " + refuses + "; printf '{\"half'; exit 3", speaks2, `"protocolVersion":1`},
		{"it closes its streams and goes on", "read line; " + refuses + "; exec <&- >&-; sleep 60", speaks2, `"protocolVersion":1`},
		{"it ends when it is asked again", "read line; " + refuses + "; read line; exit 3", speaks2, `"protocolVersion":1`},
		{"it refuses to be asked again", "read line; " + refuses + "; read line; " + notAgain + "; read line; exit 7", speaks2, `"protocolVersion":1`},
		{"the second one refuses, too", "read line; " + refuses + "; exit 3", "read line; " + notAgain + "; read line; exit 5", refused},
		{"the second one ends", "read line; " + refuses + "; exit 3", ends, refused},
	} {
		for _, isEarly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, early: %v", test.name, isEarly), func(t *testing.T) { startsTwice(t, test.first, test.second, test.want, isEarly) })
		}
	}
}

// ends is the script of a process that ends at once.
const ends = "exit 5"

// startsTwice runs an agent whose first and second process run these shell scripts. The client
// sends session/new, and waits for the response to initialize before, unless isEarly.
func startsTwice(t *testing.T, first, second, want string, isEarly bool) {
	t.Helper()
	const create = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}` + "\n"
	count, script := filepath.Join(t.TempDir(), "count"), filepath.Join(t.TempDir(), "agent")
	text := fmt.Sprintf("echo >>'%[1]s'\nif [ $(wc -l <'%[1]s') -gt 1 ]; then\n%[3]s\nfi\n%[2]s\n", count, first, second)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, "acpshim", "--", "sh", script)
	request := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	if isEarly {
		request += create
	}
	s.send(request)
	out := bufio.NewReader(s.out)
	line, _ := out.ReadString('\n')
	if strings.Contains(line, `"half`) {
		line, _ = out.ReadString('\n')
	}
	if !strings.Contains(line, want) {
		t.Errorf("the client gets %s", line)
	}
	if !isEarly && second != ends {
		s.send(create)
	}
	s.exits(5)
	if starts, err := os.ReadFile(count); err != nil || len(starts) != 2 {
		t.Errorf("it is started %d times, %v", len(starts), err)
	}
}
