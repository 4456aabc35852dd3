package redact

import (
	"bytes"
	"strings"
)

// Names are compared in lower case, without "_", "-" and dots.

// stems are what a name has in it that says anything. What has none is ordinary.
var stems = []string{"pass", "pwd", "psk", "secret", "token", "key", "cred", "auth", "cookie", "jwt", "bearer", "otp", "mnemonic", "phrase",
	"verifier", "env", "header", "sessionid", "session_id", "session-id", "session id", "bindpw", "rootpw", "adminpw", "userpw", "signature", "sig",
	"code", "sid", "pat", "identified", "community", "connectionstring", "_pw", "dbpw", "sas", "userpw", "assertion", "params", "answer"}

var (
	sessionNames     = lazily(`sessionids?$`)
	environmentNames = lazily(`env$|^environment$|^env(ironment)?(vars?|variables?)$`)
	headersNames     = lazily(`headers$|^httpheader$`)
	headerNames      = lazily(`^x?(proxy|forwarded|amz)?authorization$|^(set)?cookie2?$|^(xor|request|response)?cookies?header$`)

	strongNames = lazily(`(?:passwords?|passwort|passwd|passphrase|passcode|passwordhash|` +
		`(?:user|usr|db|database|my|pg|mysql|redis|mongo|ssh|smtp|mail|email|ftp|admin|root|store|trust|key|require|login|wifi|ldap|bind|proxy|http|basic|ansible|become|sudo|conn)(?:pass|pwd|psk|pw)|` +
		`secrets?|secretstr|secretstring|credentials?|dbcreds?|userpwd|codeverifier|mnemonic|seedphrase|recoveryphrase|clientassertion|snmpcommunity|masterauth|` +
		`token|(?:access|refresh|auth|api|bearer|id|session|user|personal)tokens|cookies?|authorization|authdata|httpbasic|proxyauth|basicauth|` +
		`(?:api|access|secret|private|auth|proxy|signing|encryption|decryption|master|licen[sc]e|account|subscription|shared|sharedaccess|storage|service|deploy|consumer|` +
		`application|webhook|hmac|admin|presharedkey|preshared|pre|registration|integration|ingest|write|session|jwt|aes|rsa|ssh|hostprivate|wireguard|node|join|clientkey|enrollment|otp)keys?|` +
		`accesskeyid|secretaccesskey|sharedaccesssignature|clientkeydata|secretkeybase)` +
		`(?:value|val|base|b64|base64|text|plain|plaintext|str|string|raw|hash|sha256|md5|prod|production|dev|test|staging|live|old|new|current|confirm|confirmation|again|repeat|verify|data|hex|pem|default|primary|secondary|main|backup)?[0-9]*$`)

	// proseNames are words that texts use, which the expression above has as names.
	proseNames = map[string]class{"token": prose, "secret": prose, "cookie": prose, "credential": prose, "credentials": prose,
		"secrets": prose, "cookies": prose, "authorization": prose, "passwords": prose, "sessionkey": likely, "mnemonic": prose,
		"prekey": likely, "nodekey": keyed, "writekey": keyed, "servicekey": likely, "accountkey": likely, "applicationkey": likely, "userauthorization": ordinary}

	// shortNames are secret as words of their own and as the last of several.
	shortNames = map[string]bool{"pass": true, "pwd": true, "pw": true, "psk": true, "auth": true, "otp": true, "totp": true,
		"jwt": true, "pat": true, "bearer": true, "cred": true, "creds": true}

	queryNames = map[string]bool{"key": true, "sig": true, "signature": true, "code": true, "sid": true, "sas": true, "assertion": true,
		"xamzsignature": true, "xgoogsignature": true, "xamzcredential": true, "xosssignature": true, "signaturekey": true, "xamzsecuritytoken": true}

	// countedNames are tokens that are counted, passed around for progress, or words of a language.
	countedNames = lazily(`(?:progress|per|first|last|cancel|cancellation|eos|bos|pad|unk|sep|cls|mask|stop|special|next|prev|page|continuation|continue|sync|resume|max|min|total|num|new|used|` +
		`input|output|cached|cache|read|thought|reasoning|completion|prompt|context|text|image|audio|current|syntax|lexer|operator|keyword)tokens?$|userauthorization$|(?:^|[^a-z])tokens$|(?:public|primary|foreign|unique|sort|partition|cache|hash|row|map|object|composite|natural|surrogate)key$`)

	// harmlessNames only tell about a secret.
	harmlessNames = lazily(`(?:count|counts|counter|limits?|budget|usage|used|total|types?|kind|ur[il]s?|endpoint|host|port|expires|expiresin|expiresat|expiry|expiration|expired|maxage|age|ttl|` +
		`names?|files?|filename|paths?|dir|folder|location|length|len|size|fields?|header|policy|rules?|hint|placeholder|label|prompt|title|description|required|enabled|disabled|valid|invalid|missing|` +
		`less|ed|ers?|ing|ize|izer|tokenization|manager|store|storage|service|servers?|scheme|methods?|mode|state|status|errors?|page|form|input|box|reset|changed?|strength|regex|pattern|format|version|index|` +
		`position|offset|start|end|range|ratio|rate|costs?|price|id|ids|of|or|is|the|supported|support|needed|flow|config|options?|settings|callback|handler|provider|providers|func|function|` +
		`board|words?|bindings?|maps?|ring|press|down|up|code|point|stone|note|frames?|over|holder|level|source|algorithm|alg|author|authors|authored|authority|authenticated?|age[sd]?|port|ion|book|by|through|thru|ive|ively|able|ages|engers?)$`)

	// likelyNames have a secret in the middle, with words behind it that nobody knows.
	likelyNames = lazily(`pwd|password|passwd|passphrase|secret|token|apikey|credential|privatekey|secretkey|accesskey|cookie`)

	// openNames are variables and headers that hold no secrets, in lower case.
	openNames = lazily(`^(?:.*_)?(?:dir|path|home|env|mode|level|color|shell|editor|pager|debug|verbose|port|version|region|lang|language|locale|tz|term|timeout|enabled|disabled|name|root)$|` +
		`^(?:lang|lc_.*|path|term|colorterm|shell|home|pwd|tz|editor|pager|no_color|force_color|ci|debug|display|tmpdir|temp|tmp|goos|goarch|edition)$|` +
		`^(?:content-(?:type|length|encoding|language)|accept|accept-(?:encoding|language|charset)|user-agent|cache-control|connection|date|host|origin|pragma|vary|anthropic-version|anthropic-beta|x-stainless-.*)$`)

	// qualifiers make a name of a word that texts use.
	qualifiers = lazily(`^(?i:access|refresh|auth|api|client|bearer|bot|session|security|github|gitlab|slack|deploy|personal|admin|service|shared|user)$`)

	// getters are functions with the name of a secret, not the secret, in their brackets.
	getters = lazily(`(?i:^|\.|_)(?i:get|read|fetch|load|find|ask|prompt|input|has|is|check|validate|verify|new|make|create|parse|test|delete|remove|reset|describe|it)[_A-Z]`)

	// placeholders stand where a secret would.
	placeholders = lazily(`^(?:x{3,}|X{3,}|\*+|\.+|-+|_+|…+|•+|\$\{.*|\$\(.*|\$[a-z_]+|\$[A-Z_][A-Z0-9_]*|\{\{.*|%[a-z]|%[A-Z_]+%|<[^<>]*>|\{[a-z_]*\}|(?i:your)[-_ ].*)$`)

	// plainWords are types and words of languages that stand where a secret would.
	plainWords = setOf(`string str text varchar char byte bytes int integer number float bool boolean object any unknown none null nil undefined true false yes no on off required optional
		missing invalid incorrect wrong empty expired enabled disabled default auto basic bearer digest hash secretstr option self this auth oauth oauth2 jwt value values user username email
		password passwd secret token key cookie is was and or the a an to for of in not as by with from if must should can cannot will may prompt prompts authentication authorization protected
		description note notes type name flag argument parameter field header variable file path that which here below above has env stdin hidden masked filtered removed unsupported supported`)
)

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// isPlaceholder reports whether a value is none: a type, a word of a language, a variable.
func isPlaceholder(value []byte) bool {
	if len(value) > maxName {
		return false
	}
	if short := bytes.TrimRight(value, "!?[]"); len(short) > 0 {
		value = short
	}
	if isName(value) && value[0] != '$' {
		return plainWords[string(value)] || bytes.ContainsAny(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") && plainWords[strings.ToLower(string(value))]
	}
	return placeholders.Match(value)
}

// stemsFrom are the stems by the lowest five bits of their first byte.
var stemsFrom = func() (by [32][]string) {
	for _, stem := range stems {
		by[stem[0]&31] = append(by[stem[0]&31], stem)
	}
	return by
}()
