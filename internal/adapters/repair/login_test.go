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

func loginCode(_ *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewLoginCode(isOn)
}

func TestLoginCode(t *testing.T) {
	for response, is := range map[string]bool{
		`{"id":1,"error":{"code":-32603,"message":"Internal error","data":{"message":"Please sign in again.","codexErrorInfo":"unauthorized"}}}`: true,
		`{"id":1,"error":{"code":-32603,"message":"unauthorized","data":{"message":"unauthorized","codexErrorInfo":"usageLimitExceeded"}}}`:      false,
		`{"id":1,"error":{"code":-32603,"message":"unauthorized","data":"unauthorized"}}`:                                                        false,
		`{"id":1,"error":{"code":-32602,"message":"m","data":{"codexErrorInfo":"unauthorized"}}}`:                                                false,
		`{"id":1,"error":{"code":-32603,"message":"m","data":{"codexErrorInfo":"unauthorized","codexErrorInfo":"other"}}}`:                       false,
		`{"id":1,"result":{"code":-32603,"data":{"codexErrorInfo":"unauthorized"}}}`:                                                             false,
		`{"id":2,"error":{"code":-32603,"message":"m","data":{"codexErrorInfo":"unauthorized"}}}`:                                                false, // of nothing
	} {
		for _, isOn := range []bool{true, false} {
			b := newBench(loginCode, isOn)
			wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
			want := response
			if is && isOn {
				want = strings.Replace(response, "-32603", "-32000", 1)
			}
			if out, _ := wire.Apply(b.Agent, nil, []byte(response)); string(out) != want {
				t.Errorf("%v: %s became %s", isOn, response, out)
			}
		}
	}
}

// Errors that codex does not call unauthorized pass unchanged.
func FuzzNoLoginIsAskedFor(f *testing.F) {
	f.Add([]byte(`{"id":1,"error":{"code":-32603,"message":"m","data":{"codexErrorInfo":"other"}}}`))
	f.Add([]byte(`[{"id":1,"error":{"code":-32603.0}}]`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n\\") || bytes.Contains(line, []byte("unauthorized")) {
			return
		}
		b := newBench(loginCode, true)
		wire.Apply(b.Client, nil, []byte(`{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`))
		b.Passes(t, dispatch.Agent, string(line))
	})
}
