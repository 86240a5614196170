internal import COpenSSL

/// base ^ exponent mod modulus over big-endian numbers, as long as the modulus.
enum ModularPower {
    /// When the exponent is `secret`, the time does not depend on it.
    static func compute(
        _ base: [UInt8], _ exponent: UnsafeRawBufferPointer, modulus: [UInt8], secret: Bool
    ) throws(CryptographyError) -> [UInt8] {
        guard base.count == modulus.count else { throw .dataLength(base.count, algorithm: "RSA") }
        guard base.lexicographicallyPrecedes(modulus) else { throw .inputNotBelowModulus }
        var output = [UInt8](repeating: 0, count: modulus.count)
        let length = Int32(output.count)
        let context = BN_CTX_new()
        let (number, power, divisor) = (number(base), BN_secure_new(), number(modulus))
        let result = BN_new()
        defer {
            // The numbers are freed with their contents overwritten.
            BN_clear_free(number)
            BN_clear_free(power)
            BN_clear_free(divisor)
            BN_clear_free(result)
            BN_CTX_free(context)
        }
        guard let context, let number, let power, let divisor, let result,
            BN_bin2bn(exponent.bindMemory(to: UInt8.self).baseAddress, Int32(exponent.count), power) != nil
        else { throw .libraryFailure("RSA") }
        if secret { BN_set_flags(power, BN_FLG_CONSTTIME) }
        let succeeded =
            if secret {
                BN_mod_exp_mont_consttime(result, number, power, divisor, context, nil) == 1
            } else {
                BN_mod_exp_mont(result, number, power, divisor, context, nil) == 1
            }
        guard succeeded, BN_bn2binpad(result, &output, length) == length else { throw .libraryFailure("RSA") }
        return output
    }

    private static func number(_ bytes: [UInt8]) -> OpaquePointer? {
        BN_bin2bn(bytes, Int32(bytes.count), nil)
    }

    /// A modulus that the computation takes: odd, no leading zero byte, 512 to 4096 bits.
    static func checkModulus(_ modulus: [UInt8]) throws(CryptographyError) {
        guard (64...512).contains(modulus.count), let first = modulus.first, first != 0,
            let last = modulus.last, last & 1 == 1
        else { throw .unusableModulus(modulus.count) }
    }
}
