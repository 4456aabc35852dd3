package versions

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/chain/dispatch"
)

const (
	closes = `c {"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`
	closed = `a {"jsonrpc":"2.0","id":9,"result":{}}`
	gone   = `a {"jsonrpc":"2.0","id":9,"error":{"code":-32002,"message":"none"}}`
)

// closingAgent opens a session with an agent of version 1 that has session/close, or has not.
func closingAgent(w *world, closes bool) *world {
	capabilities := `{}`
	if closes {
		capabilities = `{"loadSession":true,"sessionCapabilities":{"close":{}}}`
	}
	w.says(dispatch.Client, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"},"capabilities":{}}}`)
	for range 2 {
		w.says(dispatch.Agent, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1,"agentCapabilities":`+capabilities+`}}`)
	}
	w.play(`c {"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w"}}`, `a {"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}}`)
	w.client, w.agent = nil, nil
	return w
}

// The client gets what the agent sends until the turn of a closed session ends, then the response,
// and then nothing of the session (faults4.md, 13).
func TestLastUpdatesOfAClosedSession(t *testing.T) {
	const turn = "user_message, response 1, running, agent_message_chunk"
	limit := fmt.Sprint(maxClosing)
	for name, c := range map[string]struct {
		lines []string // a number of seconds passes time
		want  string
	}{
		"acpshim closes it":               {[]string{prompt1, words, closes, words, ended1, words}, turn + ", agent_message_chunk, idle, response 9"},
		"the agent closes it":             {[]string{prompt1, words, closes, closed, words, ended1, words}, turn + ", agent_message_chunk, idle, response 9"},
		"the agent ends the turn first":   {[]string{prompt1, words, closes, words, ended1, closed, words}, turn + ", agent_message_chunk, idle, response 9"},
		"it is gone":                      {[]string{prompt1, words, closes, gone, words, ended1, words}, turn + ", agent_message_chunk, idle, response 9"},
		"the turn fails":                  {[]string{prompt1, words, closes, closed, `a {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"closed"}}`}, turn + ", idle, response 9"},
		"no turn runs":                    {[]string{closes, words}, "response 9"},
		"no turn runs, the agent does it": {[]string{closes, closed, words}, "response 9"},
		"twice":                           {[]string{prompt1, words, closes, closed, words, strings.Replace(closes, "9", "8", 1), ended1, words}, turn + ", agent_message_chunk, idle, response 9, response 8"},
		"the turn does not end":           {[]string{prompt1, words, closes, words, limit, words, ended1, words}, turn + ", agent_message_chunk, idle, response 9"},
		"nor after the agent closed it":   {[]string{prompt1, words, closes, closed, words, limit, words, ended1, words}, turn + ", agent_message_chunk, idle, response 9"},
		"the next turn after that": {[]string{prompt1, words, closes, closed, limit,
			`c {"jsonrpc":"2.0","id":8,"method":"session/resume","params":{"sessionId":"s","cwd":"/w"}}`, `a {"jsonrpc":"2.0","id":8,"result":{}}`, prompt2, words, ended1, ended2},
			turn + ", idle, response 9, idle, response 8, user_message, response 2, running, agent_message_chunk, idle"},
		"the agent refuses": {[]string{prompt1, words, closes, strings.Replace(gone, "-32002", "-32603", 1), words, fmt.Sprintf(asks, 1)},
			turn + ", refused 9, agent_message_chunk, requires_action, session/request_permission"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := closingAgent(newWorld(t, 0), strings.Contains(strings.Join(c.lines, ""), `a {"jsonrpc":"2.0","id":9,`))
			for _, line := range c.lines {
				if wait, err := time.ParseDuration(line); err == nil {
					time.Sleep(wait)
					synctest.Wait()
					w.settle()
				} else {
					w.play(line)
				}
			}
			if w.got() != c.want {
				t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
			}
			if all := strings.Join(w.client, ""); strings.Contains(all, `"stopReason":"error"`) {
				t.Errorf("%s: the closed turn is not cancelled: %s", name, all)
			}
			if strings.Contains(c.want, "agent_message_chunk, agent_message_chunk") && strings.Count(strings.Join(w.client, ""), `"messageId":"acpshim-message-2"`) != 2 {
				t.Errorf("%s: the rest of a message is another one: %q", name, w.client)
			}
			w.checkSize(t, name)
		})
	}
}
