import CardSecrets
import Cryptography
import Testing

struct RSATests {
    // A test key of 512 bits with the public exponent 3.
    private static let firstPrime = "D38A858AC472B4E92D5D2051DE71A04631FABFC3A52B8F4C53BCDCEBFE91E69B"
    private static let secondPrime = "C77176D9B3A100E9BB9C4F79F1F11A287A623819DA66B7B8AA78227F8214F2ED"
    private static let modulus = hex(
        """
        A4CE70298F5DF0AFA98BE45D28530710CAFF25DAC70AA76F6666E290652DC973
        3CE2B96A5263509FE3DAD48B80DA2593531CFBE61573F894DA0F9486532D037F
        """)

    private func privateKey() throws -> RSAPrivateKey {
        try RSAPrivateKey(
            firstPrime: key(Self.firstPrime), secondPrime: key(Self.secondPrime), publicExponent: [3])
    }

    // EMV Book 2 annex B2.1: signing and recovering undo each other
    @Test func `the public key reverses the private key, and vice versa`() throws {
        let secret = try privateKey()
        #expect(secret.publicKey.modulus == Self.modulus)
        for round in 0..<20 {
            let message = [0x6A] + (1..<secret.length).map { UInt8(truncatingIfNeeded: $0 * 7 + round * 31) }
            let signed = try secret.apply(message)
            #expect(signed != message)
            #expect(try secret.publicKey.apply(signed) == message)
            #expect(try secret.apply(secret.publicKey.apply(message)) == message)
        }
    }

    @Test func `computing modulo the primes gives what the private exponent gives`() throws {
        // The signature was made with the whole private exponent, by other software.
        let message = [0x6A] + (1..<64).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let expected = hex(
            """
            59ECE9DBCF05E53306681477996E235FD2B55E9E28A997EFFDF49578FCFAB63B
            D3C21FFC9CDA137EABC59FD08D13184FEEC4A848B0A3324F875114727AC83852
            """)
        let swapped = try RSAPrivateKey(
            firstPrime: key(Self.secondPrime), secondPrime: key(Self.firstPrime), publicExponent: [3])
        #expect(try privateKey().apply(message) == expected)
        #expect(try swapped.apply(message) == expected)
    }

    @Test func `the first example of RSA Laboratories for PKCS 1 is deciphered`() throws {
        let secret = try RSAPrivateKey(
            firstPrime: key(
                """
                D32737E7267FFE1341B2D5C0D150A81B586FB3132BED2F8D5262864A9CB9F30A
                F38BE448598D413A172EFB802C21ACF1C11C520C2F26A471DCAD212EAC7CA39D
                """),
            secondPrime: key(
                """
                CC8853D1D54DA630FAC004F471F281C7B8982D8224A490EDBEB33D3E3D5CC93C
                4765703D1DD791642F1F116A0DD852BE2419B2AF72BFE9A030E860B0288B5D77
                """), publicExponent: [1, 0, 1])
        let ciphertext = hex(
            """
            354FE67B4A126D5D35FE36C777791A3F7BA13DEF484E2D3908AFF722FAD468FB
            21696DE95D0BE911C2D3174F8AFCC201035F7B6D8E69402DE5451618C21A535F
            A9D7BFC5B8DD9FC243F8CF927DB31322D6E881EAA91A996170E657A05A266426
            D98C88003F8477C1227094A0D9FA1E8C4024309CE1ECCCB5210035D47AC72E8A
            """)
        // The OAEP encoding of 6628194E12073DB03BA94CDA9EF9532397D50DBA79B987004AFEFE34.
        let encoded = hex(
            """
            001016E93A98AC3AF3A8C48FC01E87BD7000DB8BDF691F90E4DBABB03F760037
            65F55B7ED7A202635EA92FEDA9465EC40F3E0F64B8B0E444956245C5D5D068CB
            0B1DECA88B2F99AE0DF4E80F017C595CDBA4C92F2F46F25BDBF352BEB93766D2
            4554106F42D9326D59339CA24F392E738C703DC876E402EE16542095B77A6994
            """)
        #expect(try secret.apply(ciphertext) == encoded)
        #expect(try secret.publicKey.apply(encoded) == ciphertext)
    }

    @Test func `the primes survive a round trip`() throws {
        let secret = try privateKey()
        #expect(try secret.firstPrime().revealed == hex(Self.firstPrime))
        #expect(try secret.secondPrime().revealed == hex(Self.secondPrime))
    }

    @Test func `invalid primes are rejected`() {
        for (first, second) in [
            (Self.firstPrime, Self.firstPrime), ("04", Self.secondPrime), (Self.firstPrime, ""),
            // 7 is 1 modulo 3: the public exponent has no inverse.
            (String(repeating: "0", count: 62) + "07", Self.firstPrime + Self.secondPrime),
        ] {
            #expect(throws: CryptographyError.unusablePrimes) {
                try RSAPrivateKey(firstPrime: key(first), secondPrime: key(second), publicExponent: [3])
            }
        }
        #expect(throws: CryptographyError.unusableModulus(33)) {
            try RSAPrivateKey(firstPrime: key("0B"), secondPrime: key(Self.firstPrime), publicExponent: [3])
        }
    }

    @Test func `a small number is cubed without reduction`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        let two = [UInt8](repeating: 0, count: 63) + [2]
        #expect(try publicKey.apply(two) == [UInt8](repeating: 0, count: 63) + [8])
    }

    // EMV Book 2 annex B2.1: a modulus of 1984 bits is taken
    @Test func `a modulus of 1984 bits is taken`() throws {
        let modulus = [0x80] + [UInt8](repeating: 0, count: 246) + [1]
        let publicKey = try RSAPublicKey(modulus: modulus, exponent: [1, 0, 1])
        let one = [UInt8](repeating: 0, count: 247) + [1]
        #expect(try publicKey.apply(one) == one)
    }

    @Test func `an input of another length is refused`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        #expect(throws: CryptographyError.dataLength(63, algorithm: "RSA")) {
            try publicKey.apply([UInt8](repeating: 0, count: 63))
        }
    }

    @Test func `an input that is not below the modulus is refused`() throws {
        let publicKey = try RSAPublicKey(modulus: Self.modulus, exponent: [3])
        #expect(throws: CryptographyError.inputNotBelowModulus) { try publicKey.apply(Self.modulus) }
        #expect(throws: CryptographyError.inputNotBelowModulus) {
            try publicKey.apply([UInt8](repeating: 0xFF, count: 64))
        }
    }

    @Test func `moduli that are even, short, long or begin with zero are refused`() {
        for modulus in [
            [], [UInt8](repeating: 1, count: 63), [UInt8](repeating: 1, count: 513),
            [0] + [UInt8](repeating: 1, count: 63), [UInt8](repeating: 1, count: 63) + [2],
        ] {
            #expect(throws: CryptographyError.unusableModulus(modulus.count)) {
                try RSAPublicKey(modulus: modulus, exponent: [3])
            }
        }
    }

    @Test func `exponents that are empty, zero or long are refused`() {
        for exponent: [UInt8] in [[], [0], [1, 0, 0, 0, 1]] {
            #expect(throws: CryptographyError.unusableExponent(exponent.count)) {
                try RSAPublicKey(modulus: Self.modulus, exponent: exponent)
            }
        }
    }
}
