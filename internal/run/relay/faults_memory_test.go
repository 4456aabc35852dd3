package relay_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/run/relay"
)

// Each test in this file checks one promise: what a peer sends does not make acpshim hold more
// than its limits say. They run one after the other, as they measure the memory of the process.

func TestIDsOfPermissionRequestsAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.session("s", "/w")
	c.client(promptOf("1", "s"))
	c.holdsLittle(20, func(i int) { c.agent(permissionOf(longID(i, long), "s")) })
}

func TestIDsOfQuestionsAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.session("s", "/w")
	c.holdsLittle(16, func(i int) { c.agent(formOf(longID(i, long), "s", "a")) })
}

func TestIDsOfPromptsAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter+"[turns]\nqueue = 1000\n")
	c.holdsLittle(20, func(i int) { c.client(promptOf(longID(i, long), "s")) })
}

func TestIDsOfCommandsAreNotHeld(t *testing.T) {
	measures(t)
	var last *command
	c := newChain(t, quarter+"[services]\nterminal = true\n", commands(&last))
	c.session("s", "/w")
	c.holdsLittle(16, func(i int) { c.agent(createTerminal(longID(i, long), "s", "")) })
	if last == nil {
		t.Error("no command was started: the test tests nothing")
	}
}

func TestIDsOfFileRequestsAreNotHeld(t *testing.T) {
	measures(t)
	for name, client := range map[string]string{
		"that the client has":    `{"fs":{"readTextFile":true,"writeTextFile":true}}`,
		"that wait for the disk": `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newChain(t, quarter+"[services]\nfs = 'refused'\n", func(o *relay.Options) { o.Disk = &slowDisk{} })
			c.client(strings.Replace(initialize, `"clientCapabilities":{}`, `"clientCapabilities":`+client, 1))
			c.agent(resultOf(`"i"`, `{"protocolVersion":1}`))
			c.session("s", "/w")
			c.holdsLittle(20, func(i int) {
				c.agent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/a"}}`, longID(i, long)))
			})
		})
	}
}

func TestLongMethodNamesAreNotHeld(t *testing.T) {
	measures(t)
	for _, from := range []string{"client", "agent"} {
		t.Run(from, func(t *testing.T) {
			c := newChain(t, quarter)
			send := c.client
			if from == "agent" {
				send = c.agent
			}
			c.holdsLittle(20, func(i int) {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"_%d%s"}`, i, i, strings.Repeat("m", long)))
			})
		})
	}
}

func TestValuesOfPendingChoicesAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.agent(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]}}}`)
	c.holdsLittle(20, func(i int) {
		c.client(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/set_mode","params":{"sessionId":"s","modeId":"%s"}}`, i, strings.Repeat("v", long)))
	})
}

func TestRefusalsOfAVersionAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.holdsLittle(20, func(i int) {
		id := fmt.Sprint(i)
		c.client(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"initialize","params":{"protocolVersion":2,"clientCapabilities":{},"capabilities":{}}}`, id))
		c.agent(errorOf(id, -32602, "protocol version "+strings.Repeat("no ", long/3)))
	})
}

func TestRefusalsThatWaitForALoginAreNotHeld(t *testing.T) {
	measures(t)
	c := newChain(t, quarter+"[login]\nmethod = 'key'\n")
	c.session("s", "/w")
	c.holdsLittle(20, func(i int) {
		id := fmt.Sprint(i)
		c.client(promptOf(id, "s"))
		c.agent(errorOf(id, -32000, strings.Repeat("no ", long/3)))
	})
}

func TestRefusalsThatWaitForTheDiskAreNotHeld(t *testing.T) {
	measures(t)
	disk := &slowDisk{}
	c := newChain(t, quarter+"[services]\nfs = 'refused'\n", func(o *relay.Options) { o.Disk = disk })
	c.client(strings.Replace(initialize, `"clientCapabilities":{}`, `"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}`, 1))
	c.agent(resultOf(`"i"`, `{"protocolVersion":1}`))
	c.session("s", "/w")
	c.holdsLittle(20, func(i int) {
		id := fmt.Sprint(i)
		c.agent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/w/a"}}`, id))
		c.client(errorOf(id, -32603, strings.Repeat("no ", long/3)))
	})
	if len(disk.begun) == 0 {
		t.Error("no file was asked for: the test tests nothing")
	}
}

// The arguments and the environment of a command are not kept after it has started.
func TestArgumentsOfCommandsAreNotHeld(t *testing.T) {
	measures(t)
	for _, more := range []string{`,"args":["%s"]`, `,"env":[{"name":"A","value":"%s"}]`} {
		t.Run(more[2:5], func(t *testing.T) {
			var last *command
			c := newChain(t, quarter+"[services]\nterminal = true\n", commands(&last))
			c.session("s", "/w")
			c.holdsLittle(16, func(i int) {
				c.agent(createTerminal(fmt.Sprint(i), "s", fmt.Sprintf(more, strings.Repeat("x", long))))
			})
			if last == nil {
				t.Error("no command was started: the test tests nothing")
			}
		})
	}
}

// What is made of one line is bounded: at most 16 times its bytes, and 1 MiB, as it is for plans.
func mayBecome(line int) int { return 16*line + mib }

// modes returns a list of modes of about so many bytes.
func modes(size int) string {
	var list strings.Builder
	list.WriteString(`{"id":"a","name":"A"},{"id":"b","name":"B"}`)
	for i := 0; list.Len() < size; i++ {
		fmt.Fprintf(&list, `,{"id":"mode-%d","name":"Mode %d"}`, i, i)
	}
	return `{"currentModeId":"a","availableModes":[` + list.String() + `]}`
}

func modeUpdate(i int) string {
	return updateOf("s", fmt.Sprintf(`{"sessionUpdate":"current_mode_update","currentModeId":%q}`, []string{"b", "a"}[i%2]))
}

// An update of a mode is also sent in the other form, which repeats all modes.
func TestBatchOfModeUpdatesIsBounded(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	list := modes(56 << 10)
	c.agent(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","modes":` + list + `}}`)
	var updates []string
	for i := range 1000 {
		updates = append(updates, modeUpdate(i))
	}
	batch := "[" + strings.Join(updates, ",") + "]\n"
	out, _ := wire.Apply(c.Options().FromAgent, nil, []byte(batch))
	if most := mayBecome(len(list) + len(batch)); len(out) > most {
		t.Errorf("a line of %d KiB becomes %d KiB, want at most %d KiB", len(batch)>>10, len(out)>>10, most>>10)
	}
}

// A counter counts the bytes that are written to it.
type counter int

func (n *counter) Write(p []byte) (int, error) {
	*n += counter(len(p))
	return len(p), nil
}

func TestManyModeUpdatesAreBounded(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	list := modes(56 << 10)
	c.agent(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","modes":` + list + `}}`)
	var updates strings.Builder
	for i := range 1000 {
		updates.WriteString(modeUpdate(i) + "\n")
	}
	var out counter
	c.burst(&out, updates.String())
	if most := mayBecome(len(list) + updates.Len()); int(out) > most {
		t.Errorf("%d KiB become %d KiB, want at most %d KiB", (len(list)+updates.Len())>>10, out>>10, most>>10)
	}
}

// A hundred small updates take less than ten times as long as the large list that they are about.
func TestSmallUpdatesAfterALargeListAreCheap(t *testing.T) {
	measures(t)
	c := newChain(t, quarter)
	c.reads = false
	c.session("s", "/w")
	var values strings.Builder
	values.WriteString(`{"value":"a","name":"A"},{"value":"b","name":"B"}`)
	for i := 0; values.Len() < long; i++ {
		fmt.Fprintf(&values, `,{"value":"value-%d","name":"Value %d"}`, i, i)
	}
	options := updateOf("s", `{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"a","options":[`+values.String()+`]}]}`)
	c.client(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.agent(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s","configOptions":[]}}`)
	begun := time.Now()
	c.agent(options)
	once := time.Since(begun)
	const n = 100
	begun = time.Now()
	for i := range n {
		c.agent(modeUpdate(i))
		if all := time.Since(begun); all > 10*once {
			t.Errorf("after %d of %d updates of %d bytes %v have gone by, want at most 10 times the %v of the list", i+1, n, len(modeUpdate(i)), all, once)
			break
		}
	}
}

// A tool call with a terminal gets the terminal's output, up to 32 KiB.
func TestBatchOfTerminalsIsBounded(t *testing.T) {
	measures(t)
	var last *command
	c := newChain(t, quarter+"[services]\nterminal = true\n", commands(&last))
	c.session("s", "/w")
	var ids []string
	for range 16 {
		c.agent(createTerminal("1", "s", ""))
		last.printed = strings.Repeat("printed\n", 4<<10)
		_, toAgent := c.got()
		ids = append(ids, field(toAgent[0], "result", "terminalId"))
	}
	var calls []string
	for i := range 64 {
		calls = append(calls, updateOf("s", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","title":"T","content":%s}`, i, showing(ids...))))
	}
	batch := "[" + strings.Join(calls, ",") + "]\n"
	out, _ := wire.Apply(c.Options().FromAgent, nil, []byte(batch))
	if most := mayBecome(len(batch)); len(out) > most {
		t.Errorf("a line of %d KiB becomes %d KiB, want at most %d KiB", len(batch)>>10, len(out)>>10, most>>10)
	}
}
