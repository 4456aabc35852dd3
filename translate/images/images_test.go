package images

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
)

// directions are the two around an adapter, and what the client gets as the response to initialize.
func directions(isOn bool, write func(string, []byte) (string, error), result string) (client *dispatch.Direction, initialized string) {
	a := New(Options{IsOn: func(_, _ conversation.Implementation) bool { return isOn }, Write: write})
	d := dispatch.New(conversation.New(conversation.Options{}), dispatch.Options{Adapters: []dispatch.Adapter{a}})
	client = d.FromClient()
	wire.Apply(client, nil, []byte(`{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`))
	out, _ := wire.Apply(d.FromAgent(), nil, []byte(`{"id":"i","result":`+result+`}`))
	return client, string(out)
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
			client, initialized := directions(test.isOn, test.write, test.result)
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
			if out, _ := wire.Apply(client, nil, []byte(prompt(image))); string(out) != want {
				t.Errorf("the agent gets %s\nwant %s", out, want)
			}
		})
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

// FuzzNothingToDo: what has no image stays as it is, and nothing is written.
func FuzzNothingToDo(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"data"}]}}`), true)
	f.Add([]byte(`{"id":1,"method":"session/prompt","params":{"prompt":[{"type":"image","data":"AQI="}]}}`), false)
	f.Fuzz(func(t *testing.T, line []byte, isOn bool) {
		if bytes.ContainsAny(line, "\n") || isOn && (bytes.Contains(line, []byte("image")) || bytes.Contains(line, []byte(`\u`))) {
			return
		}
		client, _ := directions(isOn, func(string, []byte) (string, error) {
			t.Errorf("%q has an image", line)
			return "", nil
		}, `{"protocolVersion":1}`)
		if out, _ := wire.Apply(client, nil, line); !bytes.Equal(out, line) {
			t.Errorf("%q became %q", line, out)
		}
	})
}
