package wire

import "testing"

func TestMessages(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{string(Result([]byte(`"a\u0062"`), []byte(`{"x":1}`))), `{"jsonrpc":"2.0","id":"a\u0062","result":{"x":1}}`},
		{string(Refusal([]byte("7"), -32601, "no \"x\"")), `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no \"x\""}}`},
		{string(SessionUpdate("s\n1", []byte(`{"sessionUpdate":"x"}`))),
			`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s\n1","update":{"sessionUpdate":"x"}}}`},
	} {
		if _, err := Parse([]byte(c.got)); err != nil || c.got != c.want+"\n" {
			t.Errorf("got %s, want %s (%v)", c.got, c.want, err)
		}
	}
}
