package redact

import "bytes"

// A class is what the name of a value says about the value.
type class uint8

const (
	ordinary    class = iota
	secret            // strings, numbers and all that is in it
	secretText        // a secret if it is a string
	sessionID         // the id of a session, or several
	environment       // names with secret values
	headers           // the same
)

// maxName is how much of the end of a name is looked at, in bytes.
const maxName = 96

// normalize appends a name as names are compared: its ASCII letters in lower case
// and its digits. Bytes of other letters stay.
func normalize(dst, name []byte) []byte {
	for _, c := range name[max(0, len(name)-maxName):] {
		switch {
		case 'A' <= c && c <= 'Z':
			dst = append(dst, c+'a'-'A')
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			dst = append(dst, c)
		}
	}
	return dst
}

// classify says what name says. It is the name of a member, of a variable, a
// header, a flag or a query value.
func (r *Redactor) classify(name []byte) class {
	r.name = normalize(r.name[:0], name)
	if bytes.Contains(name, []byte("[redacted:")) {
		return ordinary
	}
	n := r.name
	if len(r.keys) > 0 && r.keys[string(n)] {
		return secret
	}
	for len(n) > 0 && n[len(n)-1] <= '9' {
		n = n[:len(n)-1]
	}
	n = bytes.TrimSuffix(bytes.TrimSuffix(n, []byte("value")), []byte("base"))
	n = bytes.TrimSuffix(n, []byte("b64"))
	if len(n) == 0 {
		return ordinary
	}
	switch n[len(n)-1] {
	case 'n':
		if ends(n, "token") {
			return tokenClass(n)
		}
		return secretIf(ends(n, "authorization") && !ends(n, "userauthorization")) // codex: how far the user agreed
	case 't':
		switch string(n) {
		case "jwt", "pat":
			return secretText
		case "environment":
			return environment
		}
		return secretIf(ends(n, "secret"))
	case 'd':
		switch {
		case ends(n, "sessionid"):
			return sessionID
		case ends(n, "accesskeyid"), ends(n, "password"), ends(n, "passwd"), ends(n, "dbpwd"):
			return secret
		}
	case 'y':
		return secretIf(ends(n, "apikey") || ends(n, "accesskey") || ends(n, "secretkey") || ends(n, "privatekey") ||
			ends(n, "authkey") || ends(n, "proxykey") || ends(n, "signingkey") || ends(n, "encryptionkey") ||
			ends(n, "masterkey") || ends(n, "licensekey") || ends(n, "accountkey") || ends(n, "subscriptionkey"))
	case 'e':
		return secretIf(ends(n, "passphrase") || ends(n, "cookie"))
	case 'h':
		if ends(n, "passwordhash") {
			return secret
		}
		if string(n) == "auth" {
			return secretText
		}
	case 'l':
		return secretIf(ends(n, "credential"))
	case 'r':
		if string(n) == "bearer" {
			return secretText
		}
		return secretIf(ends(n, "secretstr"))
	case 's':
		switch {
		case ends(n, "sessionids"):
			return sessionID
		case ends(n, "headers"):
			return headers
		case string(n) == "envvars", string(n) == "environmentvariables":
			return environment
		case string(n) == "pass":
			return secretText
		}
		return secretIf(ends(n, "secrets") || ends(n, "credentials") || ends(n, "passwords") || ends(n, "cookies") || ends(n, "apikeys") ||
			ends(n, "accesstokens") || ends(n, "refreshtokens") || ends(n, "authtokens") || ends(n, "apitokens"))
	case 'v':
		if ends(n, "env") {
			return environment
		}
	}
	return ordinary
}

// tokenClass tells the tokens that open doors from those that are counted, passed
// around for progress, or words of a language.
func tokenClass(n []byte) class {
	for _, harmless := range []string{"progresstoken", "pertoken", "firsttoken", "lasttoken", "canceltoken", "cancellationtoken",
		"eostoken", "bostoken", "padtoken", "unktoken", "stoptoken", "specialtoken", "nexttoken", "maxtoken", "totaltoken"} {
		if ends(n, harmless) {
			return ordinary
		}
	}
	return secret
}

// queryClass is classify for a value in a URL, where short names are usual.
func (r *Redactor) queryClass(name []byte) class {
	c := r.classify(name)
	if c == ordinary {
		switch string(r.name) {
		case "key", "sig", "signature", "code", "sid", "pwd", "xamzsignature", "xgoogsignature":
			c = secret
		}
	}
	return c
}

func secretIf(is bool) class {
	if is {
		return secret
	}
	return ordinary
}

func ends(name []byte, suffix string) bool { return bytes.HasSuffix(name, []byte(suffix)) }

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
