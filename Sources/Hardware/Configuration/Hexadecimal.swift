extension Sequence<UInt8> {
    /// Upper-case hexadecimal digits, two a byte.
    var hexadecimal: String {
        map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
