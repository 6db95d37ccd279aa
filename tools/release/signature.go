package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
)

// rsaBits is the least length of the key. A registry takes shorter ones; NIST counts 2,048 bits as secure until 2030 only
// (SP 800-57).
const rsaBits = 3072

// verifySignature checks that the signature is one over the sums, binary, and by the public key of the project.
func (r *release) verifySignature() []problem {
	bad := func(object, cause, next string) []problem { return []problem{{object, cause, next}} }
	keys, err := readKeys(r.key)
	if err != nil {
		return bad(r.key, "it has no public key: "+err.Error(), "Commit the armored public key of the project under this name, as CONTRIBUTING.md says under Releasing")
	}
	content, err := os.ReadFile(r.path(r.signature()))
	if err != nil {
		return bad(r.signature(), err.Error(), "Make it readable")
	}
	sums, err := os.ReadFile(r.path(r.sums()))
	if err != nil {
		return bad(r.sums(), err.Error(), "Make it readable")
	}
	if isArmored(content) {
		return bad(r.signature(), "it is armored, and a registry reads binary signatures only", "Sign without --armor, as tools/scripts/release sign does")
	}
	parsed, err := packet.NewReader(bytes.NewReader(content)).Next()
	signature, ok := parsed.(*packet.Signature)
	if err != nil || !ok || signature.IssuerKeyId == nil {
		return bad(r.signature(), "it is not a detached OpenPGP signature", "Sign with tools/scripts/release sign")
	}
	signers := keys.KeysById(*signature.IssuerKeyId)
	if len(signers) == 0 {
		return bad(r.signature(), fmt.Sprintf("it is by the key %016X, which is not in %s", *signature.IssuerKeyId, r.key), "Sign with the key of the project: the secret GPG_PRIVATE_KEY and that file must be of the same pair")
	}
	for _, key := range []*packet.PublicKey{signers[0].Entity.PrimaryKey, signers[0].PublicKey} {
		if err := checkKey(key); err != nil {
			return bad(r.signature(), err.Error(), "Make an RSA key of 4096 bits, as CONTRIBUTING.md says under Releasing")
		}
	}
	if _, err := openpgp.CheckDetachedSignature(keys, bytes.NewReader(sums), bytes.NewReader(content), nil); err != nil {
		return bad(r.signature(), "it is not a valid signature over "+r.sums()+": "+err.Error(), "Sign the sums again after their last change")
	}
	return nil
}

func isArmored(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(content), []byte("-----BEGIN PGP"))
}

// readKeys reads the keys of a file, armored or not.
func readKeys(file string) (openpgp.EntityList, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if isArmored(content) {
		return openpgp.ReadArmoredKeyRing(bytes.NewReader(content))
	}
	return openpgp.ReadKeyRing(bytes.NewReader(content))
}

// checkKey returns an error unless it is an RSA key that is long enough.
func checkKey(key *packet.PublicKey) error {
	if key.PubKeyAlgo != packet.PubKeyAlgoRSA && key.PubKeyAlgo != packet.PubKeyAlgoRSASignOnly {
		return fmt.Errorf("the key %s is not an RSA key, and a registry takes no elliptic curves", key.KeyIdString())
	}
	bits, err := key.BitLength()
	if err != nil {
		return err
	}
	if bits < rsaBits {
		return fmt.Errorf("the key %s has %d bits, which is less than %d", key.KeyIdString(), bits, rsaBits)
	}
	return nil
}

// signer returns the entity in an armored private key, ready to sign. The error says what to do.
func signer(private, passphrase string) (*openpgp.Entity, error) {
	if private == "" {
		return nil, errors.New("GPG_PRIVATE_KEY is empty. Set it to the armored private key")
	}
	keys, err := openpgp.ReadArmoredKeyRing(bytes.NewReader([]byte(private)))
	if err != nil {
		return nil, fmt.Errorf("GPG_PRIVATE_KEY has no armored key: %w. Export one with gpg --armor --export-secret-keys", err)
	}
	if len(keys) != 1 || keys[0].PrivateKey == nil {
		return nil, fmt.Errorf("GPG_PRIVATE_KEY has %d keys, or no private one. Export one key with gpg --armor --export-secret-keys", len(keys))
	}
	entity := keys[0]
	if err := entity.DecryptPrivateKeys([]byte(passphrase)); err != nil {
		return nil, fmt.Errorf("PASSPHRASE does not open the key in GPG_PRIVATE_KEY: %w. Set it to the passphrase of that key", err)
	}
	return entity, nil
}
