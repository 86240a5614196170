/// Check codewords over GF(256) with the polynomial 11D (ISO/IEC 18004 §7.5.2).
enum ReedSolomon {
    static func check(of data: [UInt8], length: Int) -> [UInt8] {
        let generator = generator(length)
        var remainder = [UInt8](repeating: 0, count: length)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for (index, coefficient) in generator.enumerated() { remainder[index] ^= product(coefficient, factor) }
        }
        return remainder
    }

    /// The product of x − 2^i for every i below the degree, without its leading coefficient.
    private static func generator(_ degree: Int) -> [UInt8] {
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in coefficients.indices {
                coefficients[index] = product(coefficients[index], root)
                if index + 1 < coefficients.count { coefficients[index] ^= coefficients[index + 1] }
            }
            root = product(root, 2)
        }
        return coefficients
    }

    private static func product(_ first: UInt8, _ second: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7) &* 0x1D
            if second >> bit & 1 == 1 { product ^= first }
        }
        return product
    }
}
