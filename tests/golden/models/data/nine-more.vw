beta | w11 w12 c5:2 c3 c0:2
alpha | w02 w01 c5 c7
alpha | w01 w03 c0 c5
gamma | w23 w20:3 c2 c6 c5:0.5
beta | w13:2 w12 c0 c4 c3
gamma | w21 w23 c1 c3
gamma | w23 w21 c3 c5 c6
alpha | w00 w01:2 c4:0.5
delta | w31 w30 c6 c3
beta | w12:3 w11 c6 c0 c2
alpha | w02 w00 c0 c7 c2
eps | w41 w43:0.5 c1:3 c0 c3
gamma | w22 w21:0.5 c1 c5
eps | w40:3 w41 c6:2 c7
zeta | w50 w53 c4 c0:0.5 c1
gamma | w23 w20 c1 c4:0.5 c6
beta | w10 w11:0.5 c4 c1 c7
alpha | w00:3 c2 c5 c0
alpha | w01 c7 c0
eta | w63 w60 c0 c2 c6
eps | w40 w41 c0 c6
alpha | w01 w02 c2 c4 c3
gamma | w23 w22 c4:3 c0 c1
theta | w71:2 w70:0.5 c7 c5:2
theta | w70 w72:3 c2 c5
