package planfile

import "testing"

func TestReadResponse(t *testing.T) {
	for _, test := range []struct{ result, failure, text, err string }{
		{`{"content":"a\n"}`, "", "a\n", ""},
		{"", `{"code":-32002,"message":"no such file"}`, "", "the client: [-32002] no such file"},
		{"", `"no"`, "", "the client's response has no content"},
		{`{"content":7}`, "", "", "the client's response has no content"},
		{"", "", "", "the client's response has no content"},
	} {
		text, err := readResponse([]byte(test.result), []byte(test.failure))
		if got := errorText(err); text != test.text || got != test.err {
			t.Errorf("%s%s: %q, %q", test.result, test.failure, text, got)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
