package wire

import "strconv"

// MethodNotFound is JSON-RPC's code for an unknown method, as text.
const MethodNotFound = "-32601"

// RequestCancelled is the code of a request that its sender has cancelled.
const RequestCancelled = -32800

// Result returns the line of a successful response. rawID and result are JSON.
func Result(id, result []byte) []byte { return response(id, `,"result":`, result) }

// Refusal returns the line of an error response. rawID is JSON.
func Refusal(id []byte, code int, message string) []byte {
	failure := strconv.AppendInt([]byte(`{"code":`), int64(code), 10)
	return response(id, `,"error":`, append(Quote(append(failure, `,"message":`...), message), '}'))
}

// RefusalWith is Refusal with data, which is JSON.
func RefusalWith(id []byte, code int, message string, data []byte) []byte {
	line := Refusal(id, code, message)
	if len(data) == 0 {
		return line
	}
	line = append(line[:len(line)-len("}}\n")], `,"data":`...)
	return append(append(line, data...), "}}\n"...)
}

func response(id []byte, name string, value []byte) []byte {
	line := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	return append(append(append(line, name...), value...), "}\n"...)
}

// SessionUpdate returns the line of a session/update. update is JSON.
func SessionUpdate(session string, update []byte) []byte {
	line := Quote([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`), session)
	return append(append(append(line, `,"update":`...), update...), "}}\n"...)
}
