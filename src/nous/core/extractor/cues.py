# ruff: noqa: E501  a row of a table is one pattern and reads best unbroken
"""The words by which people mark what is worth keeping, and what is not, as tables by language.

Each table maps a language to a regular expression; the tables are joined into one pattern per idea, since people mix
languages in one sentence. Quoted and back-ticked parts are masked before these patterns see a sentence, so that they
match what the speaker says and not what they cite. A new language is one more row in each table.
"""

from __future__ import annotations

from nous.core.extractor.cue import Cue

REMEMBER = Cue(
    {
        "en": r"(?:^|[.!,;:] |\band |\bplease |\bplz |\bpls |\bbut )(?:please |pls |plz )?(?:remember(?! when| how| the time| if|ed|ing)|keep in mind|bear in mind|memori[sz]e|don'?t forget(?! to (?:commit|push|add|run it))|do not forget|never forget)\b"
        r"|\bmake a note\b|\btake (?:a )?note\b|\bnote to self\b|\bfor (?:future reference|the record|next time|later)\b(?=[,:])|\bnote for (?:later|the future|next time)\b|\bi(?:'d| would)? (?:want|like|need) (?:you )?to remember\b|\bto remember\b\s*:|\bremind(?:ed)? you\b|^(?:note|nb|fyi|reminder|important|heads[- ]up|psa)\s?(?:that\b|[:,!-])",
        "de": r"\b(?:merk(?:e)? dir|merken|denk(?:e)? (?:dran|daran)|vergiss nicht|nicht vergessen|zur erinnerung|für später|beachte|notier(?:e)? dir)\b",
        "fr": r"\b(?:souviens-toi|rappelle-toi|retiens|n'oublie (?:pas|jamais)|à retenir|pour mémoire|garde (?:en tête|à l'esprit)|note bien|à noter)\b",
        "es": r"(?:^|[.!,;:¡] ?)(?:recuerda|acuérdate|ten en cuenta|no olvides|no te olvides|apunta|anota|para que conste|para el futuro)\b",
        "pt": r"\b(?:lembre-se|lembra-te|não (?:se )?esqueça|tenha em mente|anote)\b",
        "it": r"\b(?:ricorda(?:ti)?|non dimenticare|tieni (?:a mente|presente)|annota)\b",
        "ru": r"\b(?:запомни(?:те)?|не забудь(?:те)?|не забывай(?:те)?|имей(?:те)? в виду|учти(?:те)?|на будущее|помни(?:те)?)\b",
        "zh": r"记住|记得|请注意|注意[:：,，]|别忘了|不要忘记|牢记|以后请|備註|备注[:：]",
        "ja": r"覚えて(?:おいて)?|忘れないで|メモして|念のため|注意[:：]|今後のため",
    }
)
CORRECTION = Cue(
    {
        "en": r"^(?:ugh|ehm|hmm+|hey|sorry|argh|omg|wtf|dude|come on|please|oh|ah|and|but|ok(?:ay)?|well|yes)?[,.!\s]*(?:no+|nope|nah|wrong|w8+|wait|stop|halt|hold on|whoa|wow|not (?:like that|in|on|that|there|the|with|this|again|so fast|quite|what|a|an|to)|don'?t|do not|incorrect|that'?s (?:wrong|not|outdated|incorrect|old|obsolete|stale|no longer)|this is (?:wrong|not|outdated|incorrect)|actually|i (?:said|told|asked|meant|didn'?t (?:ask|say|mean|want)|never (?:said|asked|wanted)|did not)|as i (?:said|told)|like i said|again[,:]|how many times|why (?:did|do|are|is|would|the (?:hell|fuck)) you|you (?:forgot|keep|missed|misunderst\w+|ignored|broke|should(?:n'?t)? have|shouldn'?t|still|again|were supposed|are wrong|misinterpret\w*|just)|undo|revert|rewind|back up|there(?:'s| is) no)\b"
        r"|^not [\w./-]+(?: [\w./-]+)?[.!,;]|\byou (?:forgot|keep (?:\w+ )?\w+ing|misunderst\w+|misinterpret\w*|ignored|were supposed to|should(?:n'?t)? have|shouldn'?t)\b|\bthat'?s (?:not (?:right|correct|true|what|how|the)|wrong|incorrect|outdated|a lie)\b|\bi (?:already )?(?:told|asked) you\b|\bi meant\b|\bby .{3,40} i meant\b|\bi didn'?t mean\b|\b(?:is|are|was) (?:wrong|incorrect|outdated|obsolete)\b|\bwe (?:agreed|discussed|talked about) (?:this|that)\b",
        "de": r"^(?:äh|hm+|oh|ach)?[,.!\s]*(?:nein|nee|nö|falsch|stopp?|halt|moment|nicht (?:so|in|im|mit|das|die|den)|doch nicht|das (?:ist|stimmt) (?:falsch|nicht|veraltet|so nicht)|ich (?:sagte|meinte|habe gesagt|wollte)|du (?:sollst|hast vergessen|solltest)|warum (?:hast|machst) du)\b|\bdas ist (?:falsch|veraltet|überholt)\b|\bstimmt nicht\b",
        "fr": r"^(?:euh|ah|oh|mais)?[,.!\s]*(?:non|faux|stop|attends|pas (?:comme ça|dans|avec|là|ça|le|la)|c'est (?:faux|incorrect|périmé|dépassé|pas)|j'ai dit|je t'ai dit|je voulais dire|tu as oublié|en fait)\b|\bc'est (?:faux|dépassé|obsolète)\b",
        "es": r"^(?:eh|ah|oh|pero)?[,.!¡\s]*(?:no[,.!: ]|mal[,.!]|incorrecto|espera|para[,.!]|así no|eso (?:está mal|no es|es incorrecto|ya no)|te dije|dije que|quise decir|te olvidaste|en realidad)|\best[áo] (?:mal|desactualizado|obsoleto)\b",
        "pt": r"^(?:não|errado|espera|para|eu disse|na verdade)\b",
        "it": r"^(?:no|sbagliato|aspetta|fermo|ho detto|in realtà)\b",
        "ru": r"^(?:эй|ой|ну|так)?[,.!\s]*(?:нет|неправильно|неверно|стоп|подожди|погоди|не так|не туда|не в|не там|я (?:же )?(?:сказал\w*|говорил\w*|просил\w*)|ты (?:забыл\w*|опять)|на самом деле|это (?:устарело|неверно|неправильно|не так))",
        "zh": r"^(?:哎|喂|嗯)?[,，。!！\s]*(?:不(?:对|是|行|要|用)|错了?|等等|等一下|停|别|我(?:说过|说的是|的意思是)|你(?:忘了|又|搞错))|已经过时|过时了|这是错的",
        "ja": r"^(?:いや|いえ|いいえ|違(?:う|います|って)|ちが(?:う|います)|待って|ちょっと待って|ストップ|間違(?:い|って)|そうじゃなく|ではなく|さっき言った)|古い(?:情報|です)|間違っています|じゃなくて",
    }
)
STATE = Cue(
    {
        "en": r"\b(?:we|let'?s|i'?ll|i) (?:stop|pause|leave it|park(?: it)?|end|wrap up|pick (?:this|it) up|continue|call it a day) (?:here|there|for (?:today|now|tonight)|tomorrow|later|next|it)\b|\b(?:that'?s (?:it|all|enough) for (?:today|now|tonight)|call it a day|have to (?:leave|go|run)|gotta (?:go|run|leave|catch|dash|stop)|(?:continue|resume|pick (?:this|it) up|to be continued) (?:tomorrow|later|next|on monday)|next (?:time|session|up)|tomorrow (?:we|i)|left off|still (?:open|missing|to do|todo)|is next\b|what'?s left|remaining (?:work|steps|tasks)|to-?do next|stopping here|signing off)\b|^(?:ok(?:ay)?[, ]+|lets |let'?s )?(?:stop|pause|park) (?:here|there|now|for)\b",
        "de": r"\b(?:wir machen (?:hier )?schluss|schluss für heute|feierabend|morgen (?:geht|machen|weiter)|machen (?:wir )?(?:morgen|später|hier) weiter|bis hierhin|als nächstes|nächstes mal|noch offen|muss (?:los|weg))\b",
        "fr": r"\b(?:on s'arrête (?:là|ici)|on continue demain|à demain|la prochaine (?:fois|étape)|il reste|je dois (?:partir|y aller)|ensuite on)\b",
        "es": r"\b(?:lo dejamos aquí|paramos aquí|seguimos mañana|hasta mañana|la próxima vez|queda pendiente|falta por|tengo que irme|lo siguiente)\b",
        "ru": r"\b(?:на сегодня (?:всё|все|хватит)|остановимся (?:здесь|тут)|продолжим (?:завтра|потом)|в следующий раз|осталось|мне (?:пора|надо идти)|дальше (?:делаем|надо|будет))\b",
        "zh": r"今天(?:就)?到(?:这里|此)|先到这|明天继续|下次(?:继续|再)|接下来|还(?:没|差|剩)|待办|我要走了",
        "ja": r"今日は(?:ここまで|終わり)|続きは|明日(?:また|続)|次回|次は|残りは|未完了|また明日",
    }
)
GLOBAL = Cue(
    {
        "en": r"\b(?:in|for|across|on) (?:all|every|each|any)(?: of)?(?: (?:my|our|the|your))?(?: \w+)? (?:projects?|repos?|repositor(?:y|ies)|code ?bases?|languages?|machines?|sessions?|conversations?|chats?|work)\b|\bin general[,:]|\bgenerally(?: speaking)?[,:]|\beverywhere(?: i work)?\b[,:]|\bi (?:always|generally|never) (?:want|prefer|like|use|expect)\b|\bi generally\b|\bno matter (?:which|what) (?:project|repo(?:sitory)?)\b|\bregardless of (?:the )?(?:project|repo(?:sitory)?)\b|\bfor me personally\b|\bwhenever you work (?:with|for) me\b|\b(?:not just|not only) (?:here|this (?:project|repo(?:sitory)?))\b|\bmy projects\b|\bglobally\b|\bwherever (?:you|i) work\b|\b(?:to|for|on|in|same for|with) (?:everything|anything|whatever) (?:i|we) (?:work on|do|touch|build)\b|\bwhatever the (?:repo(?:sitory)?|project)\b|\b(?:applies|apply|goes) (?:to|for) (?:all|every)\b",
        "de": r"\bin (?:allen|jedem)(?: meine[nm]| unsere[nm])? (?:projekte?n?|repos?)\b|\bgenerell\b|\büberall\b|\bprojektübergreifend\b|\bich (?:will|möchte|mag) (?:immer|generell|grundsätzlich)\b",
        "fr": r"\bdans tous (?:mes|nos|les) (?:projets|dépôts)\b|\ben général\b|\bpartout\b|\bde manière générale\b",
        "es": r"\ben todos (?:mis|nuestros|los) (?:proyectos|repos\w*)\b|\ben general\b|\bsiempre quiero\b",
        "pt": r"\bem todos (?:os )?(?:meus|nossos) projetos\b|\bem geral\b",
        "it": r"\bin tutti i (?:miei|nostri) progetti\b|\bin generale\b",
        "ru": r"\bво всех (?:моих |наших )?(?:проектах|репозиториях)\b|\bвезде\b|\bвообще всегда\b",
        "zh": r"(?:在)?我?(?:的)?所有(?:的)?(?:项目|仓库)|每个(?:项目|仓库)|不管(?:什么|哪个)项目",
        "ja": r"(?:私の)?(?:すべて|全て|全部|全)の(?:プロジェクト|リポジトリ)|どのプロジェクトでも|全プロジェクト",
    }
)
AGREE = Cue(
    {
        "en": r"^(?:ok(?:ay)?|yes|yeah|yep|yup|agreed?|sure|sounds? (?:good|great|fine|right|reasonable)|good(?: idea| plan| call| point)?|great|perfect|fine|do (?:it|that|so)|go (?:ahead|for it|on)|lgtm|approved?|deal|exactly|right|correct|makes sense|i agree|proceed|let'?s do (?:it|that|this)|works for me|\+1|confirmed|absolutely|definitely|of course)\b",
        "de": r"^(?:ja|jo|jap|ok(?:ay)?|einverstanden|passt|klingt gut|gut|genau|machen? wir|mach das|stimmt|richtig|in ordnung|alles klar|perfekt|super)\b",
        "fr": r"^(?:oui|ok|d'accord|parfait|ça marche|bonne idée|vas-y|exactement|très bien|entendu)\b",
        "es": r"^(?:sí|si,|ok|vale|de acuerdo|perfecto|suena bien|adelante|exacto|hazlo|bien)\b",
        "ru": r"^(?:да|ок(?:ей)?|ага|согласен|согласна|хорошо|давай|отлично|точно|делай|верно|годится)",
        "zh": r"^(?:好的?|可以|行|同意|没问题|对|就这样|嗯)",
        "ja": r"^(?:はい|うん|ok|オッケー|いいね|いいです|了解|賛成|そうしよう|お願いします|その通り)",
    }
)
ONE_OFF = Cue(
    {
        "en": r"\b(?:just|only) (?:for )?(?:this|now|once|here|today)\b|^\W*not (?:yet|now)\b|\b(?:this|one) (?:time|once)(?: only)?\b(?!s)|\bfor (?:this|the) (?:run|test run|demo|moment|session|experiment|screenshot)\b|\bone[- ]off\b|\bat the moment\b|\btoday only\b|\bthrowaway\b|\bthinking (?:aloud|out loud)\b|\b(?:don'?t|do not) (?:\w+ ){1,4}(?:just )?yet\b|(?<!if )(?<!when )(?<!that )\b(?:we|i|it|there|they) (?:still |currently )?(?:(?:do|does|did|is|are|have|has)(?:n['’]?t| not)|(?:is|are|have|has) no)(?: [\w'’-]+){1,10} yet\b|\bthere (?:is|are) currently no\b|\bnow (?:please|commit|push|run|do|show|try)\b",
        "de": r"\b(?:nur (?:dieses|diesmal|für jetzt|kurz|jetzt|einmal|für diesen)|dieses mal|diesmal|vorübergehend|temporär|fürs erste|erstmal|vorerst|ausnahmsweise|schnell mal|nur zum test)\b",
        "fr": r"\b(?:juste (?:pour|cette)|cette fois|pour l'instant|temporaire(?:ment)?|provisoire(?:ment)?|pour cet essai|vite fait)\b",
        "es": r"\b(?:solo (?:por|esta|para)|esta vez|por ahora|de momento|temporal(?:mente)?|para esta prueba|rápidamente)\b",
        "ru": r"\b(?:только (?:сейчас|на этот раз|один раз)|на этот раз|в этот раз|пока что|временно|быстренько|для этого (?:запуска|теста))\b",
        "zh": r"(?:只|就)(?:这|此|本)(?:一)?次|这次|这一次|暂时|临时|先这样|暂且",
        "ja": r"今回(?:だけ|は|のみ)|一時的|とりあえず|今だけ|仮に|一度だけ|この場限り",
    }
)
TASK = Cue(
    {
        "en": r"^(?:(?:and|but|so|then|now|next|also|ok(?:ay)?|yes|great|good|please|pls|plz|alright|first|finally|nice|perfect|cool|thanks|w8|wait)[,.!: ]+)*(?:let'?s |lets |can you |could you |would you |will you |you (?:can|should|could|may) |i(?:'d| would)? (?:like|want|need) you to |go ahead and |try (?:to |and )?|i want to |we need to |we should |we can )?(?:please )?(?:add|fix|rename|show|run|commit|push|create|write|update|remove|delete|refactor|implement|check|look|list|find|open|read|move|try|test|explain|tell|give|make (?!sure)|build|install|review|think|commit|continue|proceed|start|do|call the|name the|finish|change|replace|revert|undo|merge|rebase|generate|investigate|debug|search|grep|print|draft|summari[sz]e|describe|compare|analy[sz]e|verify|see|take|get|set|put|migrate|convert|extract|rework|rewrite|clean|reflect|capture|document|describe|prepare|plan|propose|suggest|help|come up|figure|ship|release|deploy|upgrade|downgrade|bump|retry|restart|rerun|re-run|reproduce|wire|hook|port|split|inline|brainstorm|discuss|consider|evaluate|ultrathink|go|simplify|reduce|increase|adjust|tweak|polish|profile|optimi[sz]e|benchmark|measure|translate|format|lint|sort|label|style|render|display|expose|hide|enable|disable|allow|support|handle|store|save|load|import|export|parse|validate|log|cache|mock|stub|cover|close|reopen|assign|pull|fetch|clone|checkout|kill|comment|uncomment|say|drop|skip|bring|turn|send|paste|copy|draw|paint|count|track|trace|scan|collect|gather|sum|repeat|wait|switch|stash|tag|squash|cherry-pick|amend|stage|use)\b",
        "de": r"^(?:(?:und|dann|jetzt|bitte|ok|gut)[,.!: ]+)*(?:füge|mach|zeig|erstelle|schreib|lösch|entferne|benenne|prüf|schau|lies|öffne|teste|erkläre|baue|starte|ändere|ersetze|kannst du|könntest du)\w*\b",
        "fr": r"^(?:(?:et|puis|ok|alors)[,.!: ]+)*(?:ajoute|montre|crée|écris|supprime|renomme|vérifie|regarde|lis|ouvre|teste|explique|lance|change|remplace|peux-tu)\b",
        "es": r"^(?:(?:y|luego|ahora|ok|por favor)[,.!: ]+)*(?:corre|añade|agrega|muestra|crea|escribe|borra|elimina|renombra|revisa|mira|lee|abre|prueba|explica|ejecuta|cambia|puedes)\b",
        "ru": r"^(?:(?:и|а|теперь|потом|ок|пожалуйста)[,.!: ]+)*(?:добавь|покажи|создай|напиши|удали|переименуй|проверь|посмотри|прочитай|открой|запусти|объясни|исправь|измени|замени|сделай)\b",
        "zh": r"^(?:(?:好吧|好的?|嗯|行|那么?|另外)[,，、。 ]*)?(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|把)|^(?:请|帮我?|现在|然后|再)?(?:添加|加上|显示|创建|写|删除|重命名|检查|看看|读|打开|运行|解释|修复|修改|替换)",
        "ja": r"(?:を)?(?:追加|表示|作成|削除|修正|確認|実行|説明|変更)して(?:ください|くれ)?[。]?$|見せて",
    }
)
SMALLTALK = Cue(
    {
        "any": (
            r"^\W*(?:(?:thanks?|thank|thx|ty|great|good|job|work|morning|night|evening|nice|cool|awesome|perfect|excellent|hi|hello|hey|bye|cheers|lol|haha\w*|ok|okay|yes|no|yep|nope|sure|done|go|on|continue|retry|again|please|"
            r"you|so|much|very|a|lot|for|that|it|is|now|all|this|the|there|then|well|lgtm|proceed|right|exactly|fine|alright|and|do|next|see|ya|later|lovely|sweet|brilliant|have|enjoy|lunch|dinner|coffee|weekend|day|break|rest|holiday|trip|luck|tomorrow|today|your|my|too|everyone|guys|folks|claude|buddy|man|wow|oh|ah|love|looks|sounds|works|"
            r"danke|hallo|tschüss|gut|weiter|merci|bonjour|salut|bien|gracias|hola|adiós|vale|спасибо|привет|пока|хорошо|дальше|谢谢|你好|好的?|ありがとう|こんにちは|はい)[\s,.!:;)(\-'’？?~*☺😀-🙏]*){1,9}$"
        )
    }
)
INSIGHT = Cue(
    {
        "en": r"^(?:found it|got it|solved|resolved)\s?[:,—-]|^(?:fixed|solved|resolved)(?: it)? (?:with|by|via|using|in)\b|\b(?:fails?|failed|failing|crash(?:es|ed)?|breaks?|broke|hangs?|slow|empty|twice|missing|refus\w+|timeouts?|errors?)\b.{0,60}\b(?:because|since|due to|as)\b|\bcomes? from\b|\bis the cause\b|^(?:root )?(?:cause|reason|culprit|diagnosis|finding|conclusion|explanation|lesson|key (?:finding|insight))s?\s?[:—-]|\bthe (?:root |real |actual |underlying )?(?:cause|culprit) (?:is|was|turned out)\b|\bthe (?:real |actual |underlying )?(?:reason|problem|issue|bug|catch) (?:is|was|turned out to be|comes from|lies in)(?! (?:now|fixed|solved|resolved|gone|that (?:you|we|i)))\b|\b(?:it )?turns? out\b|\bturned out\b|^fixed[:,]|\bfixed by\b|\bthe fix (?:is|was)\b|^reverting[:,]|\bi was wrong\b|\bmy (?:earlier |previous )?(?:assumption|guess) was wrong\b|\bcaused by\b|\bis (?:due to|because)\b|\bthis happens (?:because|when)\b|\bthat'?s why\b|\bexplains why\b",
        "de": r"^(?:ursache|grund)\s?:|\bdie (?:eigentliche )?ursache (?:ist|war)\b|\bder grund (?:ist|war)\b|\bes liegt (?:daran|an)\b|\bbehoben:",
        "fr": r"^cause\s?:|\bla cause (?:est|était)\b|\bla raison est\b|\bcorrigé\s?:|\bc'est dû à\b",
        "es": r"^causa\s?:|\bla causa (?:es|era)\b|\bse debe a\b|\barreglado:",
        "ru": r"^причина\s?[:—-]|\bпричина (?:в том|была)\b|\bисправлено:|\bдело в том\b",
        "zh": r"^(?:原因|根因|根本原因)[:：是]|原因是|问题(?:在于|出在)|已修复[:：]",
        "ja": r"^原因[:：は]|原因は|修正済み?[:：]|問題は.{1,40}(?:です|でした|だった)",
    }
)
RECALLED = Cue(
    {
        "any": (
            r"\[memory|\bas remembered\b|\bfrom memory\b|\bi remember (?:that|from)\b|\bmy memory (?:says|notes)\b|\baccording to (?:my )?(?:memory|memories|notes|nous|the notes)\b|\b(?:in|from) my (?:memory|notes)\b|\b(?:as )?i have (?:it |that )?on file\b|\b(?:from|in) (?:an? |our |the )?(?:earlier|previous|past|prior|former|last) sessions?\b|\bremembered (?:from|rule|that)\b|\bas (?:noted|recorded) (?:before|earlier|in memory)\b|\bi (?:already )?(?:know|recall)(?: the following|:| that\b| about\b)|\b(?:here is|here'?s) what i (?:know|remember|recall)\b|\b(?:what|things) i (?:know|remember)\b|\bas far as i (?:know|remember|recall)\b|\bich weiß,? dass\b|\bje sais que\b|\bsé que\b|\bя знаю,? что\b|我知道|我记得"
            r"|\b(?:aus dem|laut) gedächtnis\b|\bsegún (?:la|mi) memoria\b|\bde mémoire\b|\bde memoria\b|\bпо памяти\b|根据记忆|記憶によ"
        )
    }
)
ASKS_MEMORY = Cue(
    {
        "any": (
            r"\b(?:what|anything|everything|which \w+) (?:do |did |else )?(?:you|u) (?:already |still |now )?(?:know|remember|recall|learn(?:ed)?|have in memory)\b|\b(?:do|can) you (?:still )?(?:remember|recall)\b|\byour memor(?:y|ies)\b|\bwas (?:weißt|hast) du\b.*\b(?:über|gemerkt)\b|\bque (?:sais|savez)-(?:tu|vous)\b|\bqué (?:sabes|recuerdas)\b|\bчто ты (?:знаешь|помнишь)\b|你(?:知道|记得)(?:什么|哪些)|何を(?:知って|覚えて)"
        )
    }
)
OPEN = Cue(
    {
        "en": r"\b(?:next(?: step| up)?|still|(?:is|are|was|were) left\b|needs? (?:an?|to|another|more|some) \w|remain(?:s|ing)?|missing|to do|todo|left to|not (?:yet|done|finished)|pending|open|outstanding|unfinished|blocked|in progress|follow-?up|later|tomorrow|continue|fails? on|to be done|half[- ]done|incomplete|yet|for last|up to)\b",
        "de": r"\b(?:nächste[rsn]?|noch|offen|fehlt|fehlen|ausstehend|übrig|später|morgen|weiter)\b",
        "fr": r"\b(?:prochaine?|reste|encore|manque|pas encore|à faire|en cours|ensuite|demain)\b",
        "es": r"\b(?:siguiente|próximo|falta|queda|pendiente|todavía|aún|por hacer|mañana)\b",
        "ru": r"\b(?:следующ\w+|осталось|ещё|еще|пока не|не хватает|дальше|завтра)\b",
        "zh": r"下一步|还(?:需|要|没|差)|剩下|未完成|待|接下来|继续",
        "ja": r"次(?:は|の|に)|まだ|残(?:り|って)|未(?:完了|実装|対応)|これから",
    }
)
HEARSAY = Cue(
    {
        "en": r"\bmy (?:friend|cousin|buddy|mate|flatmate|roommate|brother|sister|uncle|aunt|dad|mom|mum|wife|husband|girlfriend|boyfriend|neighbou?r)(?:'?s)?\b|\b(?:on|in|at|from|for) (?:another|a different|the (?:old|previous|former|last)|(?:his|her|their|some(?:one)?(?: else'?s)?)(?: other| old| own)?|an? (?:old|former|previous|unrelated)|my (?:old|former|previous|last|other|ex)|the other) (?:project|repo(?:sitory)?|team|company|job|codebase|employer|client|place|workplace|shop|gig|app|product|company)\b|\bthe (?:guys|folks|people|others|lads|colleagues) (?:from|in|at|over|of)\b.{0,40}\b(?:always|never|all|love|hate|think|say|want)\b|\b\w+ (?:people|guys|folks|fans|devs|bros) (?:always|never|all|love|hate)\b|\b(?:always|never) (?:forgets?|complains?|over-?engineers?|argues?|laughs?|comes? late)\b|\b(?:customer|client|boss|manager|support|someone|pm|he|she|they) (?:wrote|said|says|mailed|emailed|texted):|\b(?:insane|madness|bonkers|hilarious)\W*$|\bmy (?:old|former|previous|ex-?|last|first) (?:boss|manager|colleague|employer|company|teacher|professor|mentor|team ?lead|cto|lead|job)\b|\b(?:some|an?|this|that|the|one|another|random|every) (?:[\w-]+ )?(?:article|blog(?: ?post)?|tweet|podcast|talk|video|youtuber?|post|thread|book|guru|influencer|guy|dude|person|people|paper|newsletter|answer|comment(?:er)?|tutorial)s? (?:\w+ ){0,3}(?:says?|said|claims?|claimed|recommends?|recommended|suggests?|suggested|argues?|tells?|told|insists?|wrote|writes|states?|online)\b|\b(?:stack ?overflow|reddit|hacker ?news|twitter|linkedin|chatgpt|gemini|copilot|wikipedia|someone|somebody|people|everyone|everybody|they|he|she|my (?:wife|husband|friend|brother|sister|dad|mom|mum|father|mother|boss|uncle|neighbou?r|roommate)) (?:\w+ )?(?:says?|said|claims?|claimed|recommends?|suggests?|told me|swears?|thinks?|believes?|wrote|joked?)\b|\b(?:my|a|our|some|his|her|one|the (?:new|old|other)) (?:[\w-]+ )?(?:colleagues?|co-?workers?|team ?mates?|mates?|friends?|buddy|pal|cousin|daughter|son|kids?|partner|professor|teacher|intern|consultant|contractor|recruiter|salesm[ae]n|guy|folks?)(?: (?:from|in|at) \w+)? (?:\w+ )?(?:swears?|says?|said|claims?|claimed|thinks?|thought|insists?|insisted|believes?|reckons?|argues?|told me|told us|keeps? (?:saying|telling)|asked(?: me)?|wants? (?:me|us) to)\b| (?:swears?|claims (?:that|we|it|you|there|this|one|nobody)|reckons|keeps? (?:saying|telling))\b|^[a-z]+ (?:from [\w-]+ |in [\w-]+ )?(?:says|said|thinks|thought|feels|wrote|tells me) (?:that )?(?:we|i|you|one|it|everyone|people) (?:should|could|might|ought)\b|\b(?:said|says|told me|wrote|joked|quipped|goes)[,:]? ?quoted|\baccording to (?:some|an?|the (?:article|blog|internet))\b|\b(?:some|an) ?other (?:librar(?:y|ies)|lib|frameworks?|tools?|product)\b|\bas (?:the )?(?:saying|proverb|joke) goes\b|\bi (?:once )?(?:read|heard|saw) (?:that|somewhere|on|in|an?|about|people|it)\b|\bat (?:google|facebook|meta|amazon|netflix|microsoft|apple|uber|spotify|my last)\b(?= they| we used| everyone|,)|\b(?:poor souls|lol|haha+|rofl|lmao|jk|just kidding|joking)\b",
        "de": r"\bmein(?:e|er|em|en)? (?:kumpel|freund(?:in)?|cousine?|bruder|schwester|onkel|tante|vater|mutter|frau|mann|nachbar(?:in)?|mitbewohner(?:in)?)s?\b|\b(?:mein (?:alter|früherer|ehemaliger) (?:chef|kollege|lehrer)|in einem anderen (?:projekt|team|repo)|in (?:seinem|ihrem|deren) projekt|ein artikel|irgendein (?:artikel|blog|typ)|(?:jemand|er|sie|mein kumpel|meine frau) (?:sagt|sagte|meint|meinte)|habe (?:ich )?(?:mal )?gelesen)\b",
        "fr": r"\b(?:mon ancien (?:chef|patron|collègue)|(?:sur|dans) un autre (?:projet|dépôt)|un article (?:dit|affirme)|quelqu'un (?:a dit|dit)|j'ai lu (?:que|quelque part)|mdr)\b",
        "es": r"\b(?:mi (?:antiguo|ex|anterior) (?:jefe|compañero)|en otro (?:proyecto|equipo|repo)|un artículo (?:dice|afirma)|alguien (?:dijo|dice)|leí que|jaja+)\b",
        "ru": r"\b(?:мой (?:бывший|старый) (?:начальник|шеф|коллега)|в другом (?:проекте|репозитории)|на прошлой работе|(?:в )?(?:какой-то|одной) стать[ея]|кто-то (?:сказал|говорит)|я читал\w*,? что|ха-?ха)\b",
        "zh": r"我(?:以前|之前|前)的?(?:老板|领导|同事)|(?:另|别)(?:一个|的)?(?:项目|公司|团队)|有(?:篇|个)?文章(?:说|写)|有人说|我(?:看到|听说|读到)|哈哈",
        "ja": r"(?:前|昔)の(?:上司|会社|職場|同僚)|(?:別|他)のプロジェクト|ある(?:記事|ブログ)|(?:記事|ブログ)(?:に|では|で)|誰かが|らしい(?:です)?|と(?:読ん|聞い)|笑$|ｗ+$",
    }
)
HYPOTHETICAL = Cue(
    {
        "en": r"\bif (?:we|i|you|one) ever\b|\bthinking (?:about )?(?:whether|if)\b|^if we do (?:that|this)\b|\bwhat if\b|\bhypothetical(?:ly)?\b|\bsuppose (?:we|that|you|i)\b|\bsupposing\b|\bimagine\b|\btheoretical(?:ly)?\b|\bin theory\b|\b(?:just|only) (?:a thought|thinking out loud|brainstorming|musing|curious|wondering|an idea)\b|\bi(?:'m| am|'ve been)? (?:just |only )?(?:wonder(?:ing)?|curious|toying|thinking (?:about|of) (?:maybe|perhaps|possibly))\b|\b(?:maybe|perhaps) (?:we|one|some ?day|i|it|the|you)\b|^(?:maybe|perhaps)\b|\bsome ?day\b|\bone day\b|\bwe (?:might|could) (?:one day|eventually|at some point|some ?day|maybe|also)\b|\bwould be (?:nice|cool|fun|interesting)\b|\bwould it\b|\bif (?:we|i|you|it|they|this|that) (?:were|had|would|switched|moved|used|did)\b|\bnot sure (?:yet )?(?:if|whether|about|that)\b|^could be (?:that|it|we)?\b|\bleaning (?:more )?towards?\b|\btempted to\b|\bfor the sake of argument\b|\bsay we\b|\bdevil'?s advocate\b|\bmight (?:make sense|want|consider|be (?:nice|worth|useful))\b|\bcould consider\b|\bdunno\b|\bi don'?t know (?:yet|if|whether)\b",
        "de": r"\b(?:falls wir (?:je|jemals|mal)|was wäre wenn|angenommen|hypothetisch|theoretisch|nur (?:so )?(?:ein gedanke|eine idee)|vielleicht (?:sollten|könnten) wir|irgendwann (?:mal|könnten)|wäre es|könnte man|würde)\b",
        "fr": r"\b(?:si (?:jamais|un jour|on (?:passait|utilisait))|et si|imagine|supposons|hypothétiquement|en théorie|juste une idée|peut-être qu'on|un jour)\b",
        "es": r"\b(?:si algún día|qué pasaría si|y si|imagina|supongamos|hipotéticamente|en teoría|solo una idea|quizás? (?:podríamos|deberíamos)|algún día)\b",
        "ru": r"\b(?:если (?:мы )?(?:когда-нибудь|вдруг|бы)|а что если|что если|представь|допустим|гипотетически|теоретически|просто мысль|может быть,? (?:стоит|нам)|когда-нибудь)\b",
        "zh": r"如果(?:我们)?(?:哪天|有一天|将来|以后)|假如|假设|要是|设想|理论上|只是(?:想想|一个想法)|也许(?:可以|我们)|说不定",
        "ja": r"もし(?:も)?.{0,20}(?:たら|なら|れば)|仮に|例えば.{0,20}(?:たら|なら)|理論上|ただの(?:思いつき|アイデア)|かもしれない|いつか",
    }
)
DEAD_END = Cue(
    {
        "en": r"\bdead[- ]end\b|\b(?:ok(?:ay)? (?:then )?|let'?s |just |so )?forget (?:about )?(?:the |that |this )?[\w.-]+[,.;!]|\bgiv(?:e|ing|en) up on\b|\bgave up on\b|\babandon(?:ed|ing)?\b|\bnot worth (?:it|the)\b|\b(?:we|i|already) (?:already |once )?tried\b|\b(?:didn'?t|doesn'?t|does not|did not|won'?t|will not) work (?:out|here|for|with|on|in|because|since|-|:)|\bnot going to work\b|\bwaste of (?:time|tokens|money)\b|\brul(?:e|ed) out\b|\b(?:is|was|were) an? (?:bust|failure|no-go|mistake|error)\b|\bscrap (?:the|that|this|it)\b|\breverted (?:because|since|it)\b|\brolled (?:it )?back because\b|\bleads? nowhere\b|\bblind alley\b|\b(?:doesn'?t|didn'?t|does not|did not|won'?t) help (?:here|us|at all|because|since|with)\b|\bof no use\b|\bnot (?:going to )?tr(?:y|ying) (?:that|this|it) again\b",
        "de": r"\bsackgasse\b|\bvergiss (?:das|die|den)?\b(?! nicht)|\b(?:haben|hatten) (?:wir |ich )?(?:schon )?(?:versucht|probiert)\b|\b(?:funktioniert|klappt|geht) (?:hier |so )?nicht\b|\bverworfen\b|\blohnt (?:sich )?nicht\b|\baufgegeben\b|\b(?:bringt|hilft|nützt) (?:hier |uns |da )?(?:nichts|nicht)\b|\bnutzlos\b",
        "fr": r"\b(?:impasse|cul-de-sac|on (?:a )?(?:déjà )?essayé|ça ne marche pas|ne marche pas|laisse tomber|on abandonne|ça ne vaut pas|(?:ça )?n'aide pas|ne sert à rien)\b",
        "es": r"\b(?:callejón sin salida|ya (?:lo )?(?:probamos|intentamos)|no funciona (?:aquí|con|en|porque)|olvídate de|descartado|descartamos|no vale la pena|abandonamos|no (?:nos )?ayuda|no sirve (?:de nada|aquí|para))\b",
        "ru": r"\b(?:тупик|(?:уже )?пробовали|не работает (?:здесь|с|на|потому)|забудь (?:про|о)|отказались от|бросили|не стоит того|не помога(?:ет|ло|ют)|бесполез\w+|не сработал\w*|больше так не)\b",
        "zh": r"死路|行不通|走不通|试过了?|放弃了?|不值得|不可行|(?:没有?用|没效果|不起作用)",
        "ja": r"行き止まり|うまくいかな(?:い|かった)|試した(?:が|けど)|諦め|断念|無駄だった|見送り|効果が(?:ない|なかった)|役に立たな",
    }
)
DECISION = Cue(
    {
        "en": r"\b(?:we|i|we've|i've|we have|i have|ops|team|the team) (?:just |now |finally |already |all )?(?:decided|agreed|chose|chosen|settled|opted|picked|voted|committed)\b|\bdecision\b\s*(?::|is|was)|\bthat'?s what (?:we|they|the [\w-]+|[\w-]+) (?:\w+ )?(?:agreed|signed|decided|settled|approved)|\bthe (?:plan|choice|verdict) is\b|\bwe(?:'ll| will|'re going to| are going to)? (?:go|going|gone|went|stay|stick|switch|move|migrate|standardi[sz]e)(?:ing|ed)? (?:with|for|on|to|over)\b|\bgoing with\b|\blet'?s (?:go (?:with|for)|stick|stay with|switch|move (?:to|away|off)|use|drop|keep|adopt|settle|not|avoid|stop|treat|call it)\b|\blets (?:go with|use|switch|drop|keep|stick)\b|\bwe(?:'ve| have)? (?:got|gotten) rid of\b|\bphased out\b|\bchange of plans?\b|\bnew plan\b|\bwe(?:'re|'ve| are| have|'ll| will)? (?:drop|dropp(?:ed|ing)|abandon(?:ed|ing)?|ditch(?:ed|ing)?|replac(?:e|ed|ing)|retir(?:e|ed|ing)|remov(?:e|ed|ing)|switched|moved|migrated|renamed|keep|keeping|kept|stay)\b|\b(?:it|that)'?s (?:decided|settled|final|a go)\b|\bi(?:'ve| have)? (?:made up my mind|changed my mind)\b|\bwe(?:'re| are)? (?:now |finally |all )?(?:moving|switching|migrating|porting|transitioning) (?:[\w-]+ ){0,3}?(?:from|off|away|to|over|back)\b|\b(?:agreed|decided|settled) (?:in|on|with|by|at) \w|\b(?:voted|agreed)[,:]|(?<=[\w+#.)-]) it is(?:\W*$|[.!,;])|^scratch (?:the|that)\b|\b(?:goes|going|go|kicked|ripped|thrown|taken) (?:out (?:again|for good)|away)\b|\bwe (?:go|went|are going|'re going|are) back to\b|\b(?:rip|throw|kick)(?:ping|ing)? (?:it |the \w+ |\w+ )out\b|\b(?:agreed|approved|final|settled|decided)[,:;]|^(?!ok|yes|no|so|well|now|and|but|what|why|how|until|since|back|it|that|this|just|even|only|by|see|and)[\w.+#-]+(?: [\w.+#-]+)? then(?:[,.!;]|$)|\bno longer\b|\binstead we\b|\bwe (?:won'?t|will not|are not going to|aren'?t going to) (?:use|go|be using|need|do|keep|support|ship|maintain|offer|build|allow|accept|merge|deploy)\b|^after all\b|\bi(?:'d| would) (?:like to|rather) (?:go with|use|switch|keep|exclude|drop)\b|\b(?:is|are) (?:out|gone|history)[,;.] |\bwon (?:out )?over\b|\bover (?:the )?alternatives\b",
        "de": r"\bwir (?:haben (?:uns )?(?:entschieden|beschlossen)|nehmen|bleiben (?:bei|beim)|wechseln (?:zu|auf)|steigen (?:auf|um)|setzen (?:auf|jetzt auf)|gehen (?:mit|auf))\b|\b(?:entscheidung|beschluss|entschieden|beschlossen)\b|\bplanänderung\b|\blass(?:t)? uns\b|\bstattdessen\b|\bdoch (?:lieber|nicht)\b|\bnicht mehr\b",
        "fr": r"\b(?:on|nous) (?:a|avons) (?:décidé|choisi|convenu)\b|\bdécision\b|\bon (?:part|passe|reste|garde|abandonne|remplace) (?:sur|à|avec|par|le|la)?\b|\bchangement de plan\b|\bfinalement\b|\bà la place\b|\bne .{1,40} plus\b",
        "es": r"\b(?:hemos decidido|decidimos|se decidió|decisión|vamos a usar|vamos con|nos quedamos con|cambio de planes?|al final|en su lugar|en vez de|ya no|dejamos de|cambiamos a|pasamos a)\b",
        "pt": r"\b(?:decidimos|vamos (?:usar|com)|ficamos com|mudança de planos|em vez de|não .{1,30} mais)\b",
        "it": r"\b(?:abbiamo deciso|decisione|andiamo con|usiamo invece|cambio di programma|invece di|non .{1,30} più)\b",
        "ru": r"\b(?:мы решили|решили|решено|решение:|договорились|остановились на|переходим на|перешли на|выбрали|план изменился|смена планов|вместо|отказываемся от|больше не)\b",
        "zh": r"我们?决定|决定(?:用|使用|采用|了)|选(?:择|定)了?|改用|换成|改成|改为|计划(?:有变|变了)|不再(?:用|使用)?|放弃|就用|最终(?:用|选)|定了",
        "ja": r"に決め(?:た|ました|よう)|ことに(?:した|しました|します|なった|なりました)|で行(?:く|き)|でいき(?:ます|ましょう)|に変更|に切り替え|やめて|代わりに|採用|方針変更",
    }
)
PREFERENCE = Cue(
    {
        "en": r"\bi(?:'d| would)? (?:strongly |really |always |generally |usually |much |also |still |personally |greatly )?(?:prefer|rather|like (?:it when|my|when|small|short|long|clean|explicit|simple|plain|concise|tiny|big|descriptive|strict|flat|pure|\w+ (?:commits|names|functions|answers|tests|files|types|code|diffs|messages|steps|changes)|to (?:keep|see|have|use|work))|hate|dislike|loathe|detest|can'?t stand|don'?t (?:like|want|care for|need)|do not (?:like|want)|want (?:all|my|the|to (?:keep|see|have|use|be|work)|every|short|only|no|code|ruff|tests?|answers?))\b|\bprefer(?:red|ence|s)?\b|\bmy (?:preference|preferred|style|taste)\b|\bi'?m (?:not a fan|unhappy|tired of|annoyed|allergic)\b|\b(?:stop|quit|avoid) (?:doing|using|adding|writing|making|asking|creating|putting|apologi[sz]ing|saying|\w+ing)\b|\b(?:no|fewer|less|without) (?:emojis?|bullet|comments?|docstrings?|emoticons?|boilerplate|fluff|preamble|summar\w+|apolog\w+|explanations?)\b|\b(?:keep|be|answer|reply|respond|write|talk|speak) (?:it |your answers? |answers? |replies |responses |things |me |(?:all )?(?:comments|docs|docstrings|messages|commits|names|texts?) )?(?:short|brief|concise|terse|simple|in (?:english|german|french|spanish|russian|chinese|japanese|\w+ish))\b|\bbothers? me\b|\b(?:could|can) do without\b|\bannoys? me\b|\bannoying (?:when|that|if|to)\b|\b(?:is|are) killing me\b|\bdrives? me (?:mad|crazy|nuts)\b|\b(?:sick|fed up|tired) (?:of|with) \w|\bget to the point\b|\bi (?:like|prefer) to \w+ .{3,60}\bmyself\b|^i (?:do|run|push|commit|merge|deploy|review|open|write|release|tag) (?:\w+ ){0,4}myself\b|\bi (?:really )?(?:love|enjoy) (?:it )?when\b|\bi'?m (?:a )?(?:very )?opinionated\b|\bi value\b|\bcode smells?\b|\bsmells\b",
        "de": r"\bauf (?:deutsch|englisch|französisch) (?:antworten|schreiben|sprechen|kommentieren)\b|\b(?:duzen|siezen)\b|\b(?:schreib|formulier|verfass|benenn|antwort)\w* .{0,50}\bauf (?:englisch|deutsch)\b|\bich (?:bevorzuge|mag (?:es )?(?:nicht|kein\w*|lieber|keine)|hasse|möchte (?:nicht|kein\w*|immer|dass)|will (?:nicht|kein\w*|immer|dass)|hätte (?:gern|lieber))\b|\bmir (?:ist|sind) lieber\b|\b(?:antworte[nt]?|sprich|schreibe?n?|rede|erkläre?n?)\b.{0,40}\b(?:auf (?:deutsch|englisch)|immer|kurz|knapp)|\blieber\b",
        "fr": r"\bje (?:préfère|déteste|n'aime pas|ne veux (?:pas|plus)|voudrais (?:que|toujours)|veux (?:que|toujours))\b|\bplutôt que\b",
        "es": r"\b(?:prefiero|odio|no me gusta|no quiero|quiero que|me gusta que)\b",
        "pt": r"\b(?:prefiro|odeio|não gosto|não quero|quero que)\b",
        "it": r"\b(?:preferisco|odio|non mi piace|non voglio|voglio che)\b",
        "ru": r"\b(?:предпочитаю|ненавижу|не люблю|не хочу|хочу,? чтобы|мне (?:не )?нравится)\b",
        "zh": r"我(?:更)?(?:喜欢|偏好|讨厌|不喜欢|希望(?:你|都|所有)|不想要?)|请用(?:中文|英文)",
        "ja": r"(?:ほう|方)が(?:いい|好き|良い)|好みです|嫌いです|好きではない|してほしい|にしてください|て欲しい",
    }
)
