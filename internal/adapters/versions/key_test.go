package versions

import (
	"fmt"
	"strings"
	"testing"
)

// The key that was not used for longest is forgotten, and no other one.
func TestOnlyTheOldestKeyIsForgotten(t *testing.T) {
	var k keys
	for i := range maxKeys {
		k.add(fmt.Sprint("key", i), fmt.Sprint(i))
	}
	if got := k.use("key0"); got != "0" {
		t.Errorf("key0 has %q", got)
	}
	k.add("new", "new")
	for key, want := range map[string]string{"key0": "0", "key1": "", "key2": "2", "key63": "63", "new": "new"} {
		if got := k.use(key); got != want {
			t.Errorf("%s has %q, want %q", key, got, want)
		}
	}
}

// A prompt that repeats the key of one that runs or waits can be cancelled. It also ends with that
// one.
func TestARepeatedPromptIsCancelled(t *testing.T) {
	keyed := func(id string) string {
		return strings.NewReplacer(`"id":1`, `"id":`+id, `"prompt":`, `"idempotencyKey":"k","prompt":`).Replace(prompt1)
	}
	cancels := func(id string) string {
		return `c {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":` + id + `}}`
	}
	const ends = `c {"jsonrpc":"2.0","method":"session/close","id":9,"params":{"sessionId":"s"}}`
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"of one that runs":         {[]string{keyed("1"), keyed("2"), keyed("3"), cancels("2"), words}, "refused 2, user_message, response 1, running, agent_message_chunk, response 3"},
		"of one that waits":        {[]string{prompt1, keyed("2"), keyed("3"), cancels("3"), ended1}, "refused 3, user_message, response 1, running, idle"},
		"with the one that waits":  {[]string{prompt1, keyed("2"), keyed("3"), cancels("2"), ended1}, "refused 2, refused 3, user_message, response 1, running, idle"},
		"when the session is over": {[]string{prompt1, keyed("2"), keyed("3"), ends, ended1}, "refused 2, refused 3, user_message, response 1, running, idle, response 9"},
	} {
		w := newWorld(t, 0)
		newClient(w)
		w.client, w.agent = nil, nil
		w.play(c.lines...)
		if w.got() != c.want {
			t.Errorf("%s: the client got %s\nwant %s", name, w.got(), c.want)
		}
		for _, line := range w.client {
			if m := read(line); m.Error != nil && !strings.Contains(string(m.Error), "-32800") {
				t.Errorf("%s: the client got %s", name, line)
			}
		}
		if strings.Contains(strings.Join(w.agent, ""), "$/cancel_request") {
			t.Errorf("%s: the agent got %q", name, w.agent)
		}
	}
}
