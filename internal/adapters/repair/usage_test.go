package repair_test

import (
	"bytes"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

func usage(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewUsage(isOn)
}

func TestUsage(t *testing.T) {
	const counted = `"_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":2}}}`
	const want = `"usage":{"totalTokens":7,"inputTokens":5,"outputTokens":2}`
	for response, is := range map[string]bool{
		`{"id":1,"result":{"stopReason":"end_turn",` + counted + `}}`:                                               true,
		`{"id":1,"result":{"stopReason":"cancelled","usage":null,` + counted + `}}`:                                 true,
		`{"id":1,"result":{"usage":{"totalTokens":1},` + counted + `}}`:                                             false,
		`{"id":1,"error":{"code":1,` + counted + `}}`:                                                               false,
		`{"id":2,"result":{` + counted + `}}`:                                                                       false, // of nothing
		`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":0,"output_tokens":0}}}}}`:                false,
		`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":5}}}}}`:                                  false,
		`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":-5,"output_tokens":9}}}}}`:               false,
		`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":"5","output_tokens":9}}}}}`:              false,
		`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":9007199254740993,"output_tokens":1}}}}}`: false,
		`{"id":1,"result":{"_meta":{"quota":{"token_count":null}}}}`:                                                false,
		`{"id":1,"result":{"_meta":{"quota":{"used":3,"size":10}}}}`:                                                false,
		`{"id":1,"result":{"_meta":7}}`:                                                                             false,
	} {
		b := newBench(usage, true)
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
		out, _ := wire.Apply(b.Agent, nil, []byte(response))
		if got := strings.Contains(string(out), want); got != is || !got && string(out) != response {
			t.Errorf("%s became %s", response, out)
		}
	}
}

func TestUsageAtItsBounds(t *testing.T) {
	for _, tokens := range []string{"0 7", "7 0", "4503599627370496 1"} {
		input, output, _ := strings.Cut(tokens, " ")
		b := newBench(usage, true)
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
		out, _ := wire.Apply(b.Agent, nil, []byte(`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":`+input+`,"output_tokens":`+output+`}}}}}`))
		if want := `"inputTokens":` + input + `,"outputTokens":` + output + `}`; !strings.Contains(string(out), want) {
			t.Errorf("got %s, want %s", out, want)
		}
	}
}

// Responses without tokens, and all if it is off, pass unchanged.
func FuzzNothingToCount(f *testing.F) {
	f.Add([]byte(`{"id":1,"result":{"stopReason":"end_turn","_meta":{"quota":{"token_count":{"input_tokens":0}}}}}`), true)
	f.Add([]byte(`{"id":1,"result":{"_meta":{"quota":{"token_count":{"input_tokens":1,"output_tokens":2}}}}}`), false)
	f.Fuzz(func(t *testing.T, line []byte, isOn bool) {
		if bytes.ContainsAny(line, "\n") || isOn && (bytes.Contains(line, []byte("output")) || bytes.Contains(line, []byte(`\`))) {
			return
		}
		b := newBench(usage, isOn)
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
		b.Passes(t, dispatch.Agent, string(line))
	})
}
