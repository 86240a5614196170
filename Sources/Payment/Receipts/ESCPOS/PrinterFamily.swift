public import Printing
public import Text

extension PrinterFamily {
    /// The code pages with their numbers, in the order in which they are tried: Epson, ESC/POS command reference, ESC
    /// t; Star, line mode command specifications, ESC GS t.
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

    /// Returns the code page with this number; nil when there is none.
    public func codePage(_ number: UInt8) -> CodePage? { codePages.first { $0.number == number }?.page }

    /// Resets the printer and selects the US character set, in which all of ASCII is unchanged: ESC @, ESC R 0.
    var start: [UInt8] { [0x1B, 0x40, 0x1B, 0x52, 0] }

    /// The pulse that opens a cash drawer. Epson: ESC p, connector 1, 50 ms on, 500 ms off. Star: ESC BEL 50 ms on and
    /// 500 ms off, BEL.
    public var drawerPulse: [UInt8] {
        switch self {
        case .epson: [0x1B, 0x70, 0, 25, 250]
        case .star: [0x1B, 0x07, 5, 50, 0x07]
        }
    }

    /// Feeds the paper to the cutter and cuts. Epson: GS V 65 and 66. Star: ESC d 2 and 3.
    func cut(_ cut: PaperCut) -> [UInt8] {
        switch (self, cut) {
        case (.epson, .full): [0x1D, 0x56, 65, 0]
        case (.epson, .partial): [0x1D, 0x56, 66, 0]
        case (.star, .full): [0x1B, 0x64, 2]
        case (.star, .partial): [0x1B, 0x64, 3]
        }
    }

    func select(_ number: UInt8) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x74, number]
        case .star: [0x1B, 0x1D, 0x74, number]
        }
    }

    /// Bold text. Epson: ESC E. Star: ESC E and ESC F.
    func strong(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x45, isOn ? 1 : 0]
        case .star: [0x1B, isOn ? 0x45 : 0x46]
        }
    }

    /// Double-height text. Epson: GS !. Star: ESC h.
    func tall(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1D, 0x21, isOn ? 1 : 0]
        case .star: [0x1B, 0x68, isOn ? 1 : 0]
        }
    }

    /// Centered or left-aligned text. Epson: ESC a. Star: ESC GS a.
    func centered(_ isOn: Bool) -> [UInt8] {
        switch self {
        case .epson: [0x1B, 0x61, isOn ? 1 : 0]
        case .star: [0x1B, 0x1D, 0x61, isOn ? 1 : 0]
        }
    }

    /// A QR code that the printer encodes itself: model 2, error correction M, with a given number of dots per module.
    /// Epson: GS ( k, functions 165, 167, 169, 180, 181. Star: ESC GS y S, D and P.
    func code(_ data: [UInt8], dotsPerModule: Int) -> [UInt8] {
        let dots = UInt8(clamping: dotsPerModule)
        switch self {
        case .epson:
            let length = UInt16(clamping: data.count + 3)
            let head: [UInt8] = [0x1D, 0x28, 0x6B]
            let store = head + [UInt8(length & 0xFF), UInt8(length >> 8), 49, 80, 48] + data
            return head + [4, 0, 49, 65, 50, 0] + head + [3, 0, 49, 67, dots] + head + [3, 0, 49, 69, 49] + store
                + head + [3, 0, 49, 81, 48]
        case .star:
            let length = UInt16(clamping: data.count)
            let head: [UInt8] = [0x1B, 0x1D, 0x79]
            let store = head + [0x44, 0x31, 0, UInt8(length & 0xFF), UInt8(length >> 8)] + data
            return head + [0x53, 0x30, 2] + head + [0x53, 0x31, 1] + head + [0x53, 0x32, dots] + store + head + [0x50]
        }
    }

    /// A Code 128 barcode that the printer encodes itself, in code set B, ten millimeters high, with its text below.
    /// Epson: GS h, GS w, GS H, GS k 73, where a brace is doubled. Star: ESC b 6, ended by RS, where a percent sign is
    /// written %0.
    func barcode(_ text: [UInt8], dotsPerModule: Int) -> [UInt8] {
        let dots = UInt8(clamping: dotsPerModule)
        switch self {
        case .epson:
            let data = Array("{B".utf8) + text.flatMap { $0 == 0x7B ? [0x7B, 0x7B] : [$0] }
            return [0x1D, 0x68, 80, 0x1D, 0x77, dots, 0x1D, 0x48, 2, 0x1D, 0x6B, 73, UInt8(clamping: data.count)] + data
        case .star:
            // The widths are numbered: 1 means two dots.
            let width = 0x30 + max(1, dots) - 1
            return [0x1B, 0x62, 0x36, 0x32, width, 80] + text.flatMap { $0 == 0x25 ? [0x25, 0x30] : [$0] } + [0x1E]
        }
    }

    /// A raster image. Epson: GS v 0, in bands that fit small buffers. Star: raster mode (ESC * r) row by row, on a
    /// page without a fixed length that neither feeds nor cuts at its end.
    func raster(_ image: DotImage) -> [UInt8] {
        let width = UInt16(clamping: image.bytesPerRow)
        let rowHead = [UInt8(width & 0xFF), UInt8(width >> 8)]
        switch self {
        case .epson:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(image.rows.count + 8 * (image.height / 255 + 1))
            for first in stride(from: 0, to: image.height, by: 255) {
                let count = min(255, image.height - first)
                let start = first * image.bytesPerRow
                bytes += [0x1D, 0x76, 0x30, 0] + rowHead + [UInt8(count), 0]
                bytes += image.rows[start..<(start + count * image.bytesPerRow)]
            }
            return bytes
        case .star:
            let head: [UInt8] = [0x1B, 0x2A, 0x72]
            var bytes = head + [0x41] + head + [0x50, 0x30, 0] + head + [0x45, 0x31, 0]
            for row in 0..<image.height {
                let start = row * image.bytesPerRow
                bytes += [0x62] + rowHead
                bytes += image.rows[start..<(start + image.bytesPerRow)]
            }
            return bytes + head + [0x42]
        }
    }
}
