/// A character table of printers and terminals: ASCII, and 128 more characters.
public struct CodePage: Hashable, Sendable {
    /// Its name in manuals, for example `PC858`.
    public let name: String
    /// The characters of the bytes 80 to FF; U+FFFD for undefined bytes.
    package let upperHalf: [Unicode.Scalar]
    private let bytes: [Unicode.Scalar: UInt8]

    init(_ name: String, _ upperHalf: String) {
        self.name = name
        self.upperHalf = Array(upperHalf.unicodeScalars)
        bytes = Dictionary(
            zip(self.upperHalf, UInt8(0x80)...0xFF).filter { $0.0 != "\u{FFFD}" },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the byte of a character; nil when the table does not contain it.
    package func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (0x20...0x7E).contains(scalar.value) ? UInt8(scalar.value) : bytes[scalar]
    }

    /// Returns the character of a byte; nil for an undefined byte.
    public func scalar(of byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80 else { return (0x20...0x7E).contains(byte) ? Unicode.Scalar(byte) : nil }
        let index = Int(byte) - 0x80
        return upperHalf.indices.contains(index) && upperHalf[index] != "\u{FFFD}" ? upperHalf[index] : nil
    }
}

// The upper halves of IBM's and Microsoft's code pages (unicode.org/Public/MAPPINGS/VENDORS), and of JIS X 0201.
extension CodePage {
    package static let pc437 = CodePage(
        "PC437",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ"
            + "áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}")

    package static let pc850 = CodePage(
        "PC850",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ"
            + "áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
            + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀"
            + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}")

    package static let pc852 = CodePage(
        "PC852",
        "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×č"
            + "áíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐"
            + "└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀"
            + "ÓßÔŃńňŠšŔÚŕŰýÝţ´\u{AD}˝˛ˇ˘§÷¸°¨˙űŘř■\u{A0}")

    package static let pc858 = CodePage(
        "PC858",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒ"
            + "áíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐"
            + "└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀"
            + "ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{AD}±‗¾¶§÷¸°¨·¹³²■\u{A0}")

    package static let pc860 = CodePage(
        "PC860",
        "ÇüéâãàÁçêÊèÍÔìÃÂÉÀÈôõòÚùÌÕÜ¢£Ù₧Ó"
            + "áíóúñÑªº¿Ò¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}")

    package static let pc863 = CodePage(
        "PC863",
        "ÇüéâÂà¶çêëèïî‗À§ÉÈÊôËÏûù¤ÔÜ¢£ÙÛƒ"
            + "¦´óú¨¸³¯Î⌐¬½¼¾«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}")

    package static let pc865 = CodePage(
        "PC865",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø₧ƒ"
            + "áíóúñÑªº¿⌐¬½¼¡«¤░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}")

    package static let pc866 = CodePage(
        "PC866",
        "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ"
            + "абвгдежзийклмноп░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
            + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
            + "рстуфхцчшщъыьэюяЁёЄєЇїЎў°∙·√№¤■\u{A0}")

    package static let wpc1252 = CodePage(
        "WPC1252",
        "€\u{FFFD}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFD}Ž\u{FFFD}\u{FFFD}‘’“”•–—˜™š›œ\u{FFFD}žŸ"
            + "\u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯°±²³´µ¶·¸¹º»¼½¾¿"
            + "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß"
            + "àáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ")

    /// JIS X 0201: half-width katakana.
    package static let katakana = CodePage(
        "Katakana",
        String(repeating: "\u{FFFD}", count: 33)
            + "｡｢｣､･ｦｧｨｩｪｫｬｭｮｯｰｱｲｳｴｵｶｷｸｹｺｻｼｽｾｿﾀﾁﾂﾃﾄﾅﾆﾇﾈﾉﾊﾋﾌﾍﾎﾏﾐﾑﾒﾓﾔﾕﾖﾗﾘﾙﾚﾛﾜﾝﾞﾟ"
            + String(repeating: "\u{FFFD}", count: 32))
}
