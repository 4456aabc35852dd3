package images

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

// directions returns the client's direction, and what the client gets as the response to
// initialize.
func directions(t *testing.T, isOn bool, write func(string, []byte) (string, error), result string) (client *dispatch.Direction, initialized string) {
	a := New(Options{IsOn: func(_, _ conversation.Implementation) bool { return isOn }, Write: write})
	d := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{a}, Events: dispatch.Events{Panicked: func(reason any, _ []byte) { panic(reason) }}})
	client = d.FromClient()
	wire.Apply(client, nil, []byte(`{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`))
	return client, apply(t, d.FromAgent(), `{"id":"i","result":`+result+`}`)
}

// apply returns what a line becomes. A change has a reason.
func apply(t *testing.T, d *dispatch.Direction, line string) string {
	out, by := wire.Apply(d, nil, []byte(line))
	if string(out) != line && (len(by.By) != 1 || by.By[0].Why.Text == "") {
		t.Errorf("%s became %s by %+v", line, out, by)
	}
	return string(out)
}

func toFile(extension string, image []byte) (string, error) {
	return fmt.Sprintf("/t m/%x%s", image, extension), nil
}

func TestImages(t *testing.T) {
	const image = `{"type":"image","mimeType":"image/jpeg","data":"AQI="}`
	const link = `{"type":"resource_link","uri":"file:///t%20m/0102.jpg","name":"0102.jpg","mimeType":"image/jpeg","size":2},` +
		`{"type":"text","text":"[The image 0102.jpg is in the file /t m/0102.jpg]"}`
	full := func(string, []byte) (string, error) { return "", errors.New("full") }
	for name, test := range map[string]struct {
		isOn                bool
		write               func(string, []byte) (string, error)
		result, initialized string
		isLinked            bool
	}{
		"no capabilities":   {true, toFile, `{"protocolVersion":1}`, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}}`, true},
		"null":              {true, toFile, `{"protocolVersion":1,"agentCapabilities":null}`, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}}`, true},
		"others":            {true, toFile, `{"protocolVersion":1,"agentCapabilities":{"x":1e9,"promptCapabilities":{"audio":true}}}`, `{"protocolVersion":1,"agentCapabilities":{"x":1e9,"promptCapabilities":{"audio":true,"image":true}}}`, true},
		"it takes images":   {true, toFile, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}}`, "", false},
		"off":               {false, toFile, `{"protocolVersion":1}`, "", false},
		"without files":     {true, nil, `{"protocolVersion":1}`, "", false},
		"version 2":         {true, toFile, `{"protocolVersion":2}`, "", false},
		"odd capabilities":  {true, toFile, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":7}}`, "", true},
		"it cannot be kept": {true, full, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{}}}`, `{"protocolVersion":1,"agentCapabilities":{"promptCapabilities":{"image":true}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			client, initialized := directions(t, test.isOn, test.write, test.result)
			if want := test.initialized; initialized != `{"id":"i","result":`+want+`}` && (want != "" || initialized != `{"id":"i","result":`+test.result+`}`) {
				t.Errorf("the client gets %s", initialized)
			}
			prompt := func(block string) string {
				return `{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"text"}, ` + block + ` ,3],"sessionId":"s"}}`
			}
			want := prompt(image)
			if test.isLinked {
				want = prompt(link)
			}
			if out := apply(t, client, prompt(image)); out != want {
				t.Errorf("the agent gets %s\nwant %s", out, want)
			}
			for _, other := range []string{
				`{"type":"image","mimeType":"image/jpeg","data":"AQI=","data":"AQI="}`, `{"type":"image","mimeType":"image/jpeg","data":""}`,
				`{"type":"image","mimeType":"image/jpeg","data":"AQI"}`, `{"type":"image","data":"AQI="}`, `{"type":"audio","mimeType":"image/jpeg","data":"AQI="}`,
			} {
				if out := apply(t, client, prompt(other)); out != prompt(other) {
					t.Errorf("%s became %s", other, out)
				}
			}
		})
	}
}

// The annotations of an image go to the link.
func TestAnnotationsStay(t *testing.T) {
	client, _ := directions(t, true, toFile, `{"protocolVersion":1}`)
	got := apply(t, client, `{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"image","mimeType":"image/png","data":"AQI=","_meta":{"a":1.0},"annotations":{"b":2}}]}}`)
	if !strings.Contains(got, `"size":2,"annotations":{"b":2},"_meta":{"a":1.0}},{"type":"text"`) {
		t.Errorf("the agent gets %s", got)
	}
}

func TestURI(t *testing.T) {
	for file, want := range map[string]string{
		"/tmp/a b#c":    "file:///tmp/a%20b%23c",
		`C:\Temp\a.png`: "file:///C:/Temp/a.png",
	} {
		if got := uri(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

// Prompts without images pass unchanged, and nothing is written.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"data"}]}}`), true)
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"image","data":"AQI="}]}}`), false)
	f.Fuzz(func(t *testing.T, line []byte, isOn bool) {
		if bytes.ContainsAny(line, "\n") || isOn && (bytes.Contains(line, []byte("image")) || bytes.Contains(line, []byte(`\u`))) {
			return
		}
		client, _ := directions(t, isOn, func(string, []byte) (string, error) {
			t.Errorf("%q has an image", line)
			return "", nil
		}, `{"protocolVersion":1}`)
		if out := apply(t, client, string(line)); out != string(line) {
			t.Errorf("%q became %q", line, out)
		}
	})
}
