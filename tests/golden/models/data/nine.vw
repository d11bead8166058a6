beta | w12 w10:0.5 c7 c3 c0:2
alpha | w01:2 w03:3 c4 c2:2 c6
alpha | w01 c4 c5 c3
gamma | w23:2 w22 c0 c5 c6
beta | w12 w10 c4 c5
alpha | w00 w02 c6:2 c0
gamma | w21 w20 c3 c7 c5
delta | w32 c0 c6 c1:0.5
delta | w30 w32 c5 c4 c2
delta | w30 w33 c0 c3:3 c5:0.5
beta | w11:0.5 c2:0.5 c6 c1
eps | w41 w43 c7 c5:3
zeta | w53 w52 c2 c1 c7
eps | w40 w42 c5 c4 c7
beta | w10 w13 c4 c5
gamma | w22 w23 c5 c2 c7:0.5
eta | w63 w62 c1 c6 c2
delta | w32 w30:3 c3:3 c2:0.5 c7
beta | w11:2 w10 c5 c2 c7:2
beta | w12 w10 c5 c6 c4
eps | w42 w40 c4 c5
zeta | w52 w53 c2 c6
delta | w30 w33 c1 c5 c2
eps | w43 c6 c2 c4:0.5
eps | w42 w41 c7 c0:2 c1
alpha | w02 w01 c7 c0 c3
iota | w80 c2 c4
eps | w43:3 w42 c5 c2 c0
alpha | w03 c6 c7
eps | w40 w42 c0 c6:3 c4
eps | w42 w41 c6:2 c0 c1:3
delta | w30 w33 c7 c0 c1
beta | w12 w13:3 c2
eps | w43 w40 c4:0.5 c0:3 c1
eps | w42 w40 c2 c4
eps | w41 w42 c1 c3 c4
eps | w43:3 w41:2 c2 c0 c5
eps | w42 w40 c0 c6
eta | w60 w63 c3 c2 c6
delta | w31 w32 c4 c6 c5
alpha | w00 w01 c3 c0
delta | w32:2 w33 c5:0.5 c7
eps | w42 w40:2 c4 c2
gamma | w20:3 c7 c2
gamma | w21 w20 c3 c0
eta | w61 w63 c5:2 c4:2 c1
zeta | w53 w52 c0:2 c7
iota | w82:0.5 w80:2 c1 c3 c7
alpha | w03 c4:3 c0
delta | w31 w30 c5 c1
beta | w10 w13 c5 c7 c6
gamma | w23 w21 c1 c2 c4:3
alpha | w01:3 w00 c6 c3 c4
theta | w70 w73 c5 c6 c0
theta | w70 c6 c4:2 c1
beta | w13 w12 c4:2 c0:2 c1
delta | w32 w30 c3:3 c6 c2:2
gamma | w21:0.5 c7 c6
zeta | w51 w53 c0:0.5 c2 c7
alpha | w01 w03 c5 c6 c7
