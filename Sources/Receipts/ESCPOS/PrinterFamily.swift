public import Hardware

extension PrinterFamily {
    /// The tables of characters with their numbers, in the order in which they are tried: Epson, ESC/POS command
    /// reference, ESC t; Star, line mode command specifications, ESC GS t.
    var codePages: [(page: CodePage, number: UInt8)] {
        switch self {
        case .epson:
            [
                (.pc437, 0), (.pc858, 19), (.wpc1252, 16), (.pc850, 2), (.pc852, 18), (.pc866, 17), (.pc860, 3),
                (.pc863, 4), (.pc865, 5), (.katakana, 1),
            ]
        case .star:
            [
                (.pc437, 1), (.pc858, 4), (.wpc1252, 32), (.pc852, 5), (.pc866, 10), (.pc860, 6), (.pc863, 8),
                (.pc865, 9), (.katakana, 2),
            ]
        }
    }

    /// The page with this number in the family; nil when there is none.
    public func codePage(_ number: UInt8) -> CodePage? { codePages.first { $0.number == number }?.page }

    /// Resets the printer, and takes the character set of the USA, in which all of ASCII is what it is: ESC @, ESC R 0.
    var start: [UInt8] { [0x1B, 0x40, 0x1B, 0x52, 0] }

    /// The pulse that opens a drawer. Epson: ESC p, connector 1, 50 ms on, 500 ms off. Star: ESC BEL 50 ms on and 500 ms
    /// off, BEL.
    var drawerPulse: [UInt8] {
        switch self {
        case .epson: [0x1B, 0x70, 0, 25, 250]
        case .star: [0x1B, 0x07, 5, 50, 0x07]
        }
    }

    /// Feeds to the cutter and cuts but for a point in the middle. Epson: GS V 66. Star: ESC d 3.
    var cut: [UInt8] {
        switch self {
        case .epson: [0x1D, 0x56, 66, 0]
        case .star: [0x1B, 0x64, 3]
        }
    }

    func select(_ number: UInt8) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x74, number]
        case .star: [0x1B, 0x1D, 0x74, number]
        }
    }

    /// Epson: ESC E. Star: ESC E and ESC F.
    func strong(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x45, isOn ? 1 : 0]
        case .star: [0x1B, isOn ? 0x45 : 0x46]
        }
    }

    /// Letters of double height. Epson: GS !. Star: ESC h.
    func tall(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1D, 0x21, isOn ? 1 : 0]
        case .star: [0x1B, 0x68, isOn ? 1 : 0]
        }
    }

    /// In the middle or at the left. Epson: ESC a. Star: ESC GS a.
    func centered(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x61, isOn ? 1 : 0]
        case .star: [0x1B, 0x1D, 0x61, isOn ? 1 : 0]
        }
    }

    /// A QR code that the printer makes itself: model 2, error correction M, six dots a module. Epson: GS ( k, functions
    /// 165, 167, 169, 180, 181. Star: ESC GS y S, D and P.
    func code(_ data: [UInt8]) -> [UInt8] {
        switch self {
        case .epson:
            let length = UInt16(clamping: data.count + 3)
            let head: [UInt8] = [0x1D, 0x28, 0x6B]
            let store = head + [UInt8(length & 0xFF), UInt8(length >> 8), 49, 80, 48] + data
            return head + [4, 0, 49, 65, 50, 0] + head + [3, 0, 49, 67, 6] + head + [3, 0, 49, 69, 49] + store
                + head + [3, 0, 49, 81, 48]
        case .star:
            let length = UInt16(clamping: data.count)
            let head: [UInt8] = [0x1B, 0x1D, 0x79]
            let store = head + [0x44, 0x31, 0, UInt8(length & 0xFF), UInt8(length >> 8)] + data
            return head + [0x53, 0x30, 2] + head + [0x53, 0x31, 1] + head + [0x53, 0x32, 6] + store + head + [0x50]
        }
    }

    /// Dots. Epson: GS v 0, in bands that small buffers hold. Star: raster mode (ESC * r) on a page of no fixed length
    /// that neither feeds nor cuts at its end, a row at a time.
    func raster(_ image: DotImage) -> [UInt8] {
        let width = UInt16(clamping: image.bytesPerRow)
        let rowHead = [UInt8(width & 0xFF), UInt8(width >> 8)]
        switch self {
        case .epson:
            return stride(from: 0, to: image.height, by: 255).flatMap { first -> [UInt8] in
                let count = min(255, image.height - first)
                let start = first * image.bytesPerRow
                return [0x1D, 0x76, 0x30, 0] + rowHead + [UInt8(count), 0]
                    + image.rows[start..<(start + count * image.bytesPerRow)]
            }
        case .star:
            let head: [UInt8] = [0x1B, 0x2A, 0x72]
            var bytes = head + [0x41] + head + [0x50, 0x30, 0] + head + [0x45, 0x31, 0]
            for row in 0..<image.height {
                let start = row * image.bytesPerRow
                bytes += [0x62] + rowHead + image.rows[start..<(start + image.bytesPerRow)]
            }
            return bytes + head + [0x42]
        }
    }
}
